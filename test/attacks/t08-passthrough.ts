import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exchange, modern, openSession, reading } from '../e2e/raw-token.ts';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture, startHttpFixture } from '../fixtures/start.ts';
import type { Attack, Tally } from './attack.ts';

const CANARY = 'CANARY7f3a9c';

/** Nothing by which a client proves itself to us may reach a server, and nothing that is not ours may prove anything to us. */
export const passthrough: Attack = {
  threat: 'T08',
  title: 'token passthrough, foreign tokens',
  async run(tally) {
    const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-t08-'));
    const [http, stdio] = [join(dir, 'http.jsonl'), join(dir, 'stdio.jsonl')];
    const web = await startHttpFixture('http-echo.mjs', '/mcp', '--log', http);
    const mcpServers = { web: { url: web.url }, up: fixture('annotated.mjs', '--log', stdio) };
    const proxy = await startProxy({ config: { mcpServers }, env: { CANARY_VARIABLE: CANARY } });
    try {
      await fromClients(proxy, tally, () => readFileSync(http, 'utf8') + readFileSync(stdio, 'utf8'));
      await foreign(proxy, tally);
    } finally {
      await proxy.dispose();
      await web.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

async function fromClients(proxy: RunningProxy, tally: Tally, seen: () => string): Promise<void> {
  const { token } = await proxy.rest.request('createToken', { body: { name: 'agent' } });
  const headers = {
    'x-api-key': token,
    cookie: `session=${CANARY}`,
    'proxy-authorization': `Bearer ${CANARY}`,
    'mcp-param-region': CANARY,
    'x-forwarded-authorization': CANARY,
    'x-amzn-oidc-data': CANARY,
    baggage: `key=${CANARY}`,
  };
  const meta = { authorization: CANARY, 'vendor/key': CANARY, progressToken: CANARY };
  const session = await openSession(proxy.url, token);
  let environment = '';
  for (const tool of ['web:echo', 'web:progress', 'up:read_only', 'up:environment']) {
    const call = reading(tool, { text: 'x', steps: 1 });
    const now = modern('tools/call', { ...call, _meta: meta });
    const answers = [
      exchange(proxy.url, { token, headers: { ...headers, ...now.headers }, body: now.body }),
      exchange(proxy.url, {
        token,
        headers: { ...headers, ...session },
        body: { jsonrpc: '2.0', id: tool, method: 'tools/call', params: { ...call, _meta: meta } },
      }),
    ];
    for (const answer of answers) {
      const text = await answer.ended;
      tally.held((await answer.status) === 200 && text.includes('"result"'), `${tool} did not run: ${text}`);
      if (tool === 'up:environment') environment += text;
    }
  }
  const all = seen();
  tally.figure(`${all.split('\n').length} requests seen by servers`);
  tally.held(all.includes('web') || all.includes('tools/call'), 'the servers wrote nothing down');
  tally.held(!all.includes(CANARY), 'something of the client reached a server');
  tally.held(!all.includes(token), 'the token of the agent reached a server');
  tally.held(!all.includes(proxy.key) && !environment.includes(proxy.key), 'the key reached a server');
  tally.held(
    environment.includes('PATH') && !environment.includes(CANARY),
    'our environment reached a server',
  );
}

/** Tokens that others made, for others: shown as they would be, and each with the right shape and the wrong sum. */
async function foreign(proxy: RunningProxy, tally: Tally): Promise<void> {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: 'https://issuer.example', aud: `${proxy.url}/mcp`, sub: 'operator', exp: 4e9 };
  const shown = [
    `${part({ alg: 'none' })}.${part(claims)}.`,
    `${part({ alg: 'HS256' })}.${part(claims)}.c2lnbmF0dXJl`,
    `ghp_${'a'.repeat(36)}`,
    'operator',
    'null',
    `mcpp_${'0'.repeat(49)}`,
    `${proxy.key}x`,
    proxy.key.slice(0, -1),
    proxy.key.toUpperCase(),
  ];
  for (const credential of shown) {
    for (const path of ['/mcp', '/api/v1/status']) {
      const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
      const { status, headers: answered } = await fetch(proxy.url + path, { headers });
      tally.held([401, 429].includes(status), `${credential.slice(0, 12)}… opened ${path}: ${status}`);
      // A challenge that leads nowhere would send clients looking for an authorization server.
      tally.held(answered.get('www-authenticate') === null, 'a challenge without OAuth behind it');
    }
  }
}
