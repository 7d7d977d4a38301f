import { startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import type { Attack, Tally } from './attack.ts';

interface Session {
  cookie: string;
  csrf: string;
}

/** Somebody has copied the cookie of a web session, or the link that opens one, and uses it after the log-out. */
export const loggedOut: Attack = {
  threat: 'T24',
  title: 'cookies, streams and links after the log-out',
  async run(tally) {
    const proxy = await startProxy();
    const started = [proxy];
    try {
      const [stolen, other] = [await logIn(proxy), await logIn(proxy)];
      const [stream, others] = [await openEvents(proxy, stolen), await openEvents(proxy, other)];
      const forced = await logOut(proxy, { ...stolen, csrf: other.csrf });
      tally.held(forced === 403, `another page logs a person out: ${forced}`);
      tally.held((await logOut(proxy, stolen)) === 200, 'the log-out fails');
      tally.held((await untilEnd(stream)) === 'ended', 'a stream outlives the log-out');
      await tryDoors(tally, proxy, { stolen, when: 'after the log-out' });
      tally.held((await statusOf(proxy, '/api/v1/status', other)) === 200, 'another session ends with it');
      await others.body!.cancel();
      await tryLink(tally, proxy);
      tally.held(!proxy.stderr().includes('login='), 'a link is in the log of the service');

      // At once and without warning, so that nothing can be stored later.
      const late = await logIn(proxy);
      await logOut(proxy, late);
      await proxy.stop('SIGKILL');
      const args = ['--listen', new URL(proxy.url).host];
      const again = await startProxy({ home: proxy.home, args });
      started.push(again);
      for (const session of [stolen, late])
        await tryDoors(tally, again, { stolen: session, when: 'after a crash' });
      tally.held((await statusOf(again, '/api/v1/status', other)) === 200, 'another session is lost');
    } finally {
      for (const each of started.reverse()) await each.dispose();
    }
  },
};

const DOORS = ['/api/v1/status', '/api/v1/events', '/api/v1/activity', '/mcp', '/metrics'];

async function tryDoors(
  tally: Tally,
  proxy: RunningProxy,
  { stolen, when }: { stolen: Session; when: string },
): Promise<void> {
  const [name, value = ''] = stolen.cookie.split('=');
  // The time until which it is valid comes first.
  const later = { ...stolen, cookie: `${name}=${value.replace(/^\d/, '9')}` };
  for (const session of [stolen, later])
    for (const path of DOORS) {
      const status = await statusOf(proxy, path, session);
      tally.held(status === 401, `${path} ${when}: ${status}`);
    }
  const link = await fetch(`${proxy.url}/api/v1/login-links`, { method: 'POST', headers: headersOf(stolen) });
  tally.held(link.status === 401, `a new link ${when}: ${link.status}`);
}

/** Ten browsers open one link at once, and one comes later. */
async function tryLink(tally: Tally, proxy: RunningProxy): Promise<void> {
  const { url } = await proxy.rest.request('createLoginLink', {});
  const code = new URL(url).hash.replace('#login=', '');
  const racers = await Promise.all(Array.from({ length: 10 }, () => enter(proxy, { code })));
  const inside = racers.filter(({ status }) => status === 200).length;
  tally.held(inside === 1, `${inside} of 10 browsers are logged in by one link`);
  tally.held((await enter(proxy, { code })).status === 401, 'a link works again');
}

const enter = ({ url }: RunningProxy, body: { key: string } | { code: string }) =>
  fetch(`${url}/web/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify(body),
  });

async function logIn(proxy: RunningProxy): Promise<Session> {
  const answer = await enter(proxy, { key: proxy.key });
  const { csrf } = (await answer.json()) as { csrf: string };
  return { csrf, cookie: answer.headers.get('set-cookie')!.split(';')[0]! };
}

const headersOf = ({ cookie, csrf }: Session) => ({ cookie, 'x-mcpproxy-csrf': csrf });

async function logOut({ url }: RunningProxy, session: Session): Promise<number> {
  return (await fetch(`${url}/web/session`, { method: 'DELETE', headers: headersOf(session) })).status;
}

async function statusOf({ url }: RunningProxy, path: string, session: Session): Promise<number> {
  const answer = await fetch(`${url}${path}`, { headers: headersOf(session) });
  await answer.body?.cancel();
  return answer.status;
}

const openEvents = ({ url }: RunningProxy, session: Session) =>
  fetch(`${url}/api/v1/events`, { headers: headersOf(session) });

const STREAM_MS = 60_000;

function untilEnd(stream: Response): Promise<'ended' | 'open'> {
  const open = new Promise<'open'>((resolve) => setTimeout(() => resolve('open'), STREAM_MS).unref());
  const ended = stream.text().then(
    () => 'ended' as const,
    () => 'ended' as const,
  );
  return Promise.race([ended, open]);
}
