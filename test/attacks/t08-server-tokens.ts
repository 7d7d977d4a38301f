import { exchange, modern, reading } from '../e2e/raw-token.ts';
import type { RunningProxy } from '../e2e/start-proxy.ts';
import { startAuthorizationServer, type AuthorizationServer } from '../fixtures/authorization-server.ts';
import { startProtectedServer, type ProtectedServer } from '../fixtures/protected-server.ts';
import type { Attack, Tally } from './attack.ts';
import { startCanary } from './canary.ts';
import { logIn, operate, untilState } from './login-ground.ts';
import { startOf } from './scaled.ts';

const CANARY = 'CANARY-of-the-agent';

/** The token of a log-in is for its server: no other server, no agent and no authorization server of others may see it. */
export const serverTokens: Attack = {
  threat: 'T08',
  title: 'tokens of log-ins to servers',
  async run(tally, scale) {
    const issuers = await Promise.all([startAuthorizationServer(), startAuthorizationServer()]);
    const servers = await Promise.all(
      issuers.map((issuer) => startProtectedServer(issuer.verify, { issuers: [issuer.issuer] })),
    );
    for (const [i, { url }] of servers.entries()) issuers[i]!.behaviour.resources.push(url);
    const mcpServers = Object.fromEntries(servers.map(({ url }, i) => [`s${i}`, { url }]));
    const proxy = await startOf(scale)({ config: { mcpServers }, waitReady: false });
    try {
      for (const name of ['s0', 's1']) await logIn(proxy, name);
      await useBoth(proxy, tally, { issuers, servers });
      await lured(proxy, tally, issuers);
    } finally {
      await proxy.dispose();
      for (const each of [...issuers, ...servers]) each.stop();
    }
  },
};

interface Ground {
  issuers: AuthorizationServer[];
  servers: ProtectedServer[];
}

async function useBoth(proxy: RunningProxy, tally: Tally, { issuers, servers }: Ground): Promise<void> {
  const { token } = await proxy.rest.request('createToken', { body: { name: 'agent' } });
  const own = { cookie: `session=${CANARY}`, 'x-forwarded-authorization': CANARY, 'x-api-key': token };
  let answers = '';
  for (const server of ['s0', 's1']) {
    const call = modern('tools/call', reading(`${server}:read_note`, { authorization: 'x' }));
    const sent = { token, headers: { ...own, ...call.headers }, body: call.body };
    const answer = await exchange(proxy.url, sent).ended;
    tally.held(answer.includes('read_note ran'), `${server} did not run: ${answer}`);
    answers += answer;
  }
  const secrets = issuers.map(({ grants }) => [...grants.secrets]);
  tally.held(
    secrets.flat().every((secret) => !answers.includes(secret)),
    'a secret of a log-in reached the agent',
  );
  for (const [i, server] of servers.entries()) {
    const seen = JSON.stringify([server.seen, issuers[i]!.seen]);
    tally.held(
      server.seen.some(({ status }) => status === 200),
      `s${i} was never used`,
    );
    tally.held(
      secrets[1 - i]!.every((secret) => !seen.includes(secret)),
      `s${i} or its issuer saw a secret of the other log-in`,
    );
    for (const foreign of [token, proxy.key, CANARY])
      tally.held(!seen.includes(foreign), `s${i} or its issuer saw a credential of the caller`);
  }
  tally.figure(`${secrets.flat().length} secrets, ${servers.flatMap(({ seen }) => seen).length} requests`);
}

/** The same server at another address, and one that sends the proxy elsewhere: nothing of the log-in goes along. */
async function lured(proxy: RunningProxy, tally: Tally, issuers: AuthorizationServer[]): Promise<void> {
  const headers: string[] = [];
  const canary = await startCanary((req, res) => {
    headers.push(JSON.stringify(req.headers));
    res.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  });
  const luring = await startCanary((_, res) => res.writeHead(307, { location: `${canary.url}/mcp` }).end());
  try {
    await operate(proxy, ['PATCH', '/s0'], { url: `${canary.url}/mcp` });
    await untilState(proxy, 's0', 'needs_login');
    tally.held(headers.length > 0, 'the other address was never asked');
    await operate(proxy, ['PATCH', '/s1'], { url: `${luring.url}/mcp` });
    await untilState(proxy, 's1', 'failed');
    const sent = headers.join('\n');
    for (const { grants } of issuers)
      for (const secret of grants.secrets) tally.held(!sent.includes(secret), 'a secret went elsewhere');
    tally.held(!sent.includes('authorization'), 'a credential went elsewhere');
  } finally {
    await Promise.all([canary.stop(), luring.stop()]);
  }
}
