import { readFileSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newPostgres } from '../fixtures/engines.ts';
import { openExecutionLog } from '../fixtures/execution-log.ts';
import { fixture } from '../fixtures/start.ts';
import { ASKED_CLIENTS, connectAsked, textOf } from './asked-clients.ts';
import { exchange, modern, reading } from './raw-token.ts';
import { runCli } from './run-cli.ts';
import { poll, startProxy, type RunningProxy } from './start-proxy.ts';

// The built program with two processes behind one port, on a real PostgreSQL.

let proxy: RunningProxy;
let database: Awaited<ReturnType<typeof newPostgres>>;
const log = openExecutionLog();

beforeAll(async () => {
  database = await newPostgres();
  proxy = await startProxy({
    args: ['--workers', '2', '--log-level', 'warn'],
    config: {
      database_url: database.url,
      mcpServers: {
        up: log.server(),
        asking: fixture('asking-sdk.mjs'),
        older: fixture('asking.mjs', 'legacy'),
      },
      approvals: { require: ['destructive'], wait: '1s' },
    },
  });
  await everyWorker('running');
});
afterAll(async () => {
  await proxy?.dispose();
  await database?.remove();
  log.remove();
});

const workers = async () => (await proxy.rest.request('status', {})).workers!;
/** Nothing while the worker that answers is being replaced. */
const workersIfKnown = () => workers().catch(() => []);
const everyWorker = (state: string) =>
  poll('the workers', proxy.stderr, async () => {
    const all = await workersIfKnown();
    return all.length === 2 && all.every((each) => each.state === state) ? all : undefined;
  });

/** On a connection of its own, which the next worker gets. */
async function call(text: string, token = proxy.key): Promise<string> {
  const { headers, body } = modern('tools/call', reading('up:read_only', { text }));
  return exchange(proxy.url, { token, headers: { ...headers, connection: 'close' }, body }).ended;
}

/** Programs that a process has started, by their command lines. */
function programsOf(pid: number): string[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const children = tasks.flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );
  return children
    .map((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').replaceAll('\0', ' '))
    .filter((line) => line.includes('fixtures/'));
}

test('both answer, and the program of a server runs once', async () => {
  for (let i = 0; i < 8; i++) expect(await call(`first ${i}`)).toContain(`first ${i}`);
  const all = await workers();
  expect(new Set(all.map(({ pid }) => pid)).size).toBe(2);
  const started = [proxy.pid, ...all.map(({ pid }) => pid)].map(programsOf);
  expect(started[0]!.filter((line) => line.includes('annotated.mjs'))).toHaveLength(1);
  expect(
    started
      .slice(1)
      .flat()
      .filter((line) => line.includes('annotated.mjs')),
  ).toEqual([]);
});

test.each(ASKED_CLIENTS)('client %s calls, is asked, and answers', async (kind) => {
  const client = await connectAsked(kind, proxy);
  for (let i = 0; i < 4; i++)
    expect(textOf(await client.call('up:read_only', { text: `${kind} ${i}` }))).toContain(`${kind} ${i}`);
  const twice = await client.call('asking:twice');
  expect(JSON.parse(textOf(twice))).toMatchObject({ second: { action: 'accept' } });
  const params = { message: 'Name?', requestedSchema: { type: 'object', properties: {} } };
  const asked = await client.call('older:ask', { params });
  expect(JSON.parse(textOf(asked))).toMatchObject({ result: { action: 'accept' } });
  await client.close();
});

describe('whichever process gets a request', () => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    exchange(proxy.url, {
      token: proxy.key,
      method: 'GET',
      path,
      headers: { connection: 'close', ...headers },
    });

  test('one of them answers for both: a log-in link, a key that is wrong, another host', async () => {
    const { url } = await proxy.rest.request('createLoginLink', {});
    const body = { code: url.slice(url.indexOf('#login=') + 7) };
    const post = () =>
      exchange(proxy.url, { token: '', path: '/web/session', headers: { connection: 'close' }, body }).status;
    const opened = [await post(), await post(), await post()];
    expect(opened).toEqual([200, 401, 401]);
    for (let i = 0; i < 4; i++) {
      expect(await get('/api/v1/status').status).toBe(200);
      expect(await get('/api/v1/status', { authorization: 'Bearer wrong' }).status).toBe(401);
      expect(await get('/api/v1/status', { host: 'example.com' }).status).toBe(403);
      expect(await get('/readyz').status).toBe(200);
    }
  });

  test('metrics count the calls of both', async () => {
    const counted = async () => {
      const text = await get('/metrics').ended;
      return Number(
        /mcpproxy_calls_total\{[^}]*status="success"[^}]*server="up"[^}]*\} (\d+)/.exec(text)?.[1] ??
          Number.NaN,
      );
    };
    const before = await counted();
    for (let i = 0; i < 6; i++) await call(`counted ${i}`);
    for (let i = 0; i < 4; i++) expect(await counted()).toBe(before + 6);
  });

  test('status and doctor name them', async () => {
    const status = await runCli(['status', ...proxy.place], { home: proxy.home });
    expect(status.stdout).toMatch(/Workers +2 running/);
    const doctor = await runCli(['doctor', '-o', 'json', ...proxy.place], { home: proxy.home });
    expect(JSON.parse(doctor.stdout).checks).toContainEqual(
      expect.objectContaining({ check: 'workers', result: 'ok' }),
    );
  });
});

/** Calls on eight connections until it is stopped; what was answered, and how many connections were broken. */
function load() {
  const seen = { answered: 0, wrong: [] as string[], broken: 0 };
  const over = new AbortController();
  const lane = async (lane: number) => {
    for (let i = 0; !over.signal.aborted; i++) {
      const text = `load ${lane} ${i}`;
      await call(text).then(
        (answer) => {
          if (answer.includes(text)) seen.answered++;
          else if (answer === '') seen.broken++;
          else seen.wrong.push(answer);
        },
        () => seen.broken++,
      );
    }
  };
  const lanes = Array.from({ length: 8 }, (_, index) => lane(index));
  return {
    seen,
    async end() {
      over.abort();
      await Promise.all(lanes);
      return seen;
    },
  };
}

test.each([2, 1])(
  'worker %i dies under load: nobody else notices, and another one takes its place',
  async (index) => {
    const [before] = (await workers()).filter(({ worker }) => worker === index);
    const program = programsOf(proxy.pid);
    const running = load();
    const enough = (count: number) =>
      poll('calls', proxy.stderr, () => (running.seen.answered >= count ? true : undefined));
    await enough(40);
    process.kill(before!.pid, 'SIGKILL');
    const replaced = await poll('another worker', proxy.stderr, async () =>
      (await workersIfKnown()).find(
        ({ worker, state, pid }) => worker === index && state === 'running' && pid !== before!.pid,
      ),
    );
    expect(replaced.restarts).toBe(1);
    await enough(running.seen.answered + 40);
    const { wrong, broken } = await running.end();
    expect(wrong).toEqual([]);
    // Those that were on their way at the worker that died, and those that the system had given to it.
    expect(broken).toBeLessThanOrEqual(8);
    expect(programsOf(proxy.pid)).toEqual(program);
    for (let i = 0; i < 8; i++) expect(await call(`after ${i}`)).toContain(`after ${i}`);
  },
);

test('a restart of a server by the operator is one for all workers', async () => {
  const program = () => programsOf(proxy.pid).filter((line) => line.includes('annotated.mjs'));
  const { pid } = (await proxy.rest.request('listServers', {})).servers.find(({ name }) => name === 'up')!;
  const after = await proxy.rest.request('restartServer', { name: 'up' });
  expect(after.pid).not.toBe(pid);
  for (let i = 0; i < 8; i++)
    await poll('both workers', proxy.stderr, async () =>
      (await call(`again ${i}`)).includes(`again ${i}`) ? true : undefined,
    );
  expect(program()).toHaveLength(1);
});

test('a stop answers calls that are on their way, and leaves nothing behind', async () => {
  const all = await workers();
  const slow = Array.from({ length: 6 }, (_, i) => {
    const { headers, body } = modern(
      'tools/call',
      reading('up:slow_cancellable', { ms: 1500, text: `slow ${i}` }),
    );
    return exchange(proxy.url, { token: proxy.key, headers: { ...headers, connection: 'close' }, body })
      .ended;
  });
  await poll('the calls', proxy.stderr, () =>
    slow.every((_, i) => log.runsOf(`slow ${i}`) === 1) ? true : undefined,
  );
  expect(await proxy.stop()).toBe(0);
  for (const answer of await Promise.all(slow)) expect(answer).toContain('"result"');
  for (const { pid } of all) expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  expect(readdirSync(proxy.dataDir)).not.toContain('sockets');
  expect(readdirSync(proxy.dataDir)).not.toContain('daemon.json');
});

test('with SQLite several workers are refused, with what to do', async () => {
  const refused = await runCli(['serve', '--workers', '2', '--listen', '127.0.0.1:0'], { home: proxy.home });
  expect(refused.code).toBe(4);
  expect(refused.stderr).toMatch(/2 workers need PostgreSQL.*Set database_url/);
});
