import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHere } from '../e2e/cli-here.ts';
import { connectClient } from '../e2e/mcp-clients.ts';
import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { filesBelow } from '../fixtures/files-below.ts';
import { processLines } from '../fixtures/process-lines.ts';
import { fixture, startHttpFixture } from '../fixtures/start.ts';
import type { Attack, Tally } from './attack.ts';

/** Letters that look random, always the same ones. */
function letters(seed: number, length: number): string {
  const all = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  let state = seed * 2_654_435_761;
  return Array.from({ length }, () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 1) >>> 0;
    return all[state % all.length];
  }).join('');
}

/** What payloads may carry, each in the place where people put it. */
const PAYLOAD: Record<string, { secret: string; as: (secret: string) => string }> = {
  'GitHub token': { secret: `ghp_${letters(1, 36)}`, as: (s) => `token ${s} here` },
  'AWS key id': { secret: `AKIA${letters(2, 16).toUpperCase()}`, as: (s) => s },
  'Slack token': { secret: `xoxb-${letters(3, 24)}`, as: (s) => `use ${s}` },
  'OpenAI key': { secret: `sk-${letters(4, 40)}`, as: (s) => s },
  'Google key': { secret: `AIza${letters(5, 35)}`, as: (s) => s },
  'agent token': { secret: `mcpp_${letters(6, 49)}`, as: (s) => `mine is ${s}` },
  JWT: { secret: `eyJ${letters(7, 20)}.${letters(8, 30)}.${letters(9, 40)}`, as: (s) => s },
  'bearer header': { secret: letters(10, 32), as: (s) => `Authorization: Bearer ${s}` },
  password: { secret: letters(11, 16), as: (s) => `password=${s}` },
  'password in a URL': { secret: letters(12, 16), as: (s) => `postgres://app:${s}@db/x` },
  'private key': {
    secret: letters(13, 64),
    as: (s) => `-----BEGIN RSA PRIVATE KEY-----\n${s}\n-----END RSA PRIVATE KEY-----`,
  },
};

/** What the proxy itself holds for servers. */
const HELD = {
  variable: `held-env-${letters(20, 24)}`,
  header: `held-header-${letters(21, 24)}`,
  userinfo: `heldurl${letters(22, 24)}`,
  referred: `held-reference-${letters(23, 24)}`,
};

/** Secrets of payloads are masked in what is kept; secrets that the proxy holds appear nowhere. */
export const secrets: Attack = {
  threat: 'T14',
  title: 'secrets in logs, records, errors, lists and processes',
  async run(tally, scale) {
    const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-t14-'));
    const web = await startHttpFixture('http-echo.mjs', '/mcp');
    const withUser = (url: string) => url.replace('http://', `http://user:${HELD.userinfo}@`);
    const mcpServers = {
      up: { ...fixture('annotated.mjs'), env: { UP_PASSWORD: HELD.variable, REFERRED: '${env:REFERRED}' } },
      web: { url: web.url, headers: { authorization: `Bearer ${HELD.header}` } },
      user: { url: withUser(web.url) },
      dead: { url: withUser('http://127.0.0.1:9/mcp'), headers: { 'x-api-key': HELD.header } },
      broken: { command: '/nonexistent', env: { A: HELD.variable } },
    };
    const proxy = await startProxy({
      config: { mcpServers },
      env: { REFERRED: HELD.referred },
      args: ['--log-level', 'debug'],
    });
    try {
      const { token } = await proxy.rest.request('createToken', { body: { name: 'agent' } });
      await misuse(proxy, tally, scale === 'full' ? [token, proxy.key] : [token]);
      const seen = await everything(proxy);
      const isConfig = (place: string) => place === proxy.configFile;
      for (const [place, text] of seen) {
        for (const [kind, { secret }] of Object.entries(PAYLOAD))
          tally.held(!text.includes(secret), `${kind} in ${place}`);
        for (const [kind, secret] of Object.entries({ ...HELD, key: proxy.key, token }))
          tally.held(
            isConfig(place) || place.endsWith('/api_key') || !text.includes(secret),
            `${kind} in ${place}`,
          );
      }
      tally.figure(
        `${seen.size} places, ${Object.keys(PAYLOAD).length + Object.keys(HELD).length + 2} secrets`,
      );
      for (const file of filesBelow(proxy.dataDir))
        tally.held((statSync(file).mode & 0o077) === 0, `${file} may be read by others`);
      tally.held((statSync(proxy.dataDir).mode & 0o077) === 0, 'the data directory is open');
    } finally {
      await proxy.dispose();
      await web.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

async function misuse(proxy: RunningProxy, tally: Tally, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const client = await connectClient('2026-07-28', { url: proxy.url, key });
    for (const { secret, as } of Object.values(PAYLOAD)) {
      const text = as(secret);
      for (const tool of [
        'up:read_only',
        'web:echo',
        'up:fails',
        'up:rpc_error',
        'dead:x',
        `up:${text.slice(0, 80)}`,
      ]) {
        const input = { name: tool, args: { text }, intent_reason: text, intent_operation_type: 'read' };
        const result = await client.call('call_tool_read', input);
        if (tool === 'up:read_only')
          tally.held(
            JSON.stringify(result).includes(secret.slice(0, 20)),
            'a payload did not pass unchanged',
          );
      }
      await client.call('retrieve_tools', { query: text.slice(0, 900) });
    }
    await client.close();
  }
  for (const wrong of keys.map((key) => `${key}x`))
    await fetch(`${proxy.url}/mcp`, { headers: { authorization: `Bearer ${wrong}` } });
}

async function everything(proxy: RunningProxy): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  const get = async (path: string) => {
    const answer = await fetch(proxy.url + path, { headers: { 'x-api-key': proxy.key } });
    seen.set(`GET ${path}`, await answer.text());
  };
  for (const path of [
    'status',
    'servers',
    'servers/up',
    'servers/user',
    'servers/dead',
    'servers/broken',
    'tokens',
  ])
    await get(`/api/v1/${path}`);
  for (const path of [
    'tools?limit=1000',
    'activity?limit=100',
    'activity/export',
    'activity/sealed',
    'config',
  ])
    await get(`/api/v1/${path}`);
  for (const name of ['up', 'web', 'dead', 'broken']) await get(`/api/v1/servers/${name}/logs`);
  for (const path of ['/openapi.json', '/', '/readyz']) await get(path);
  const { place } = proxy;
  for (const command of [
    'status',
    'doctor',
    'upstream list',
    'activity list',
    'tokens list',
    'config show',
    'config validate',
  ]) {
    const { stdout, stderr } = await runHere([...command.split(' '), ...place]);
    seen.set(`mcpproxy ${command}`, stdout + stderr);
  }
  seen.set('the log', proxy.stderr());
  seen.set('the process list', processLines().join('\n'));
  for (const file of filesBelow(proxy.home)) seen.set(file, readFileSync(file, 'latin1'));
  return seen;
}
