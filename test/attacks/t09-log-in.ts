import type { RunningProxy } from '../e2e/start-proxy.ts';
import { startAuthorizationServer, type AuthorizationServer } from '../fixtures/authorization-server.ts';
import { HOSTILE_TEXT, type Fault } from '../fixtures/metadata-faults.ts';
import { startProtectedServer } from '../fixtures/protected-server.ts';
import type { Attack, Tally } from './attack.ts';
import { startCanary } from './canary.ts';
import { operate, untilState } from './login-ground.ts';
import { startOf } from './scaled.ts';

const FAULTS: Fault[] = [
  ...([
    'huge',
    'endless',
    'HTML',
    'script',
    'redirect',
    'other issuer',
    'wrong shapes',
    'error',
    'not JSON',
  ] as const),
];

/** An operator begins a log-in to a server that lies about where to go: it ends there, with a sentence, and nobody else is asked. */
export const hostileLogIn: Attack = {
  threat: 'T09',
  title: 'hostile metadata while an operator logs in',
  async run(tally, scale) {
    const canary = await startCanary();
    const issuer = await startAuthorizationServer({ elsewhere: canary.url });
    const server = await startProtectedServer(issuer.verify, {
      issuers: [issuer.issuer],
      elsewhere: canary.url,
    });
    issuer.behaviour.resources.push(server.url);
    const config = { mcpServers: { evil: { url: server.url } } };
    const proxy = await startOf(scale)({ config, waitReady: false });
    try {
      await untilState(proxy, 'evil', 'needs_login');
      for (const fault of scale === 'full' ? [...FAULTS, 'silent' as const] : FAULTS) {
        if (fault !== 'script') {
          server.protection.fault = fault;
          await tryLogIn(proxy, tally, `metadata of the server: ${fault}`);
          delete server.protection.fault;
        }
        issuer.behaviour.faults = { metadata: fault };
        await tryLogIn(proxy, tally, `metadata of the authorization server: ${fault}`);
        issuer.behaviour.faults = {};
      }
      for (const one of [...ISSUERS, `${canary.url}/other`]) {
        server.protection.issuers = [one];
        await tryLogIn(proxy, tally, `authorization server ${one}`);
      }
      endsThere(tally, issuer, canary.hits);
      tally.held(!proxy.stderr().includes('\u001b]0;owned'), 'a control sequence reached the log');
    } finally {
      await proxy.dispose();
      for (const each of [issuer, server]) each.stop();
      await canary.stop();
    }
  },
};

/** None of them is an authorization server that anybody could want; nothing answers at the last two. */
const ISSUERS = [
  'javascript:alert(1)',
  'file:///etc/passwd',
  'data:application/json,{}',
  'http://169.254.169.254',
  'http://user:password@127.0.0.1:9',
  'http://127.0.0.1:9',
];

async function tryLogIn(proxy: RunningProxy, tally: Tally, what: string): Promise<void> {
  const { status, text } = await operate(proxy, ['POST', '/evil/login'], {});
  tally.held(status === 422 && text.includes('LOGIN_FAILED'), `${what}: ${status} ${text.slice(0, 200)}`);
  tally.held(!text.includes('authorization_url') && !text.includes(HOSTILE_TEXT), `${what} was passed on`);
}

function endsThere(tally: Tally, issuer: AuthorizationServer, hits: string[]): void {
  const asked = hits.filter((hit) => !hit.includes('/.well-known/'));
  tally.held(asked.length === 0, `somebody else was asked: ${asked.join(', ')}`);
  tally.held(issuer.requests('/register').length === 0, 'a client was registered');
  tally.held(issuer.requests('/token').length === 0, 'a token was asked for');
  tally.figure(`${2 * FAULTS.length + ISSUERS.length} log-ins, ${issuer.seen.length} requests for metadata`);
}
