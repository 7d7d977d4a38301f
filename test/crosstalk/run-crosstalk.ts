import fc from 'fast-check';
import { fileURLToPath } from 'node:url';
import type { RunningProxy } from '../e2e/start-proxy.ts';
import { startHttpFixture, type HttpFixture } from '../fixtures/start.ts';
import { Participant, type Findings, type ParticipantOptions } from './participant.ts';

const AT_ONCE = 12;
const SERVERS = ['older', 'apart', 'newer'] as const;
type Server = (typeof SERVERS)[number];

/** The steps by their share. A client of the 2025 era leaves now and then and comes back with a new session. */
const STEPS = {
  roots: 4,
  level: 3,
  elicit: 4,
  sample: 4,
  log: 4,
  progress: 3,
  watch: 2,
  touch: 4,
  changeRoots: 2,
  setLevel: 2,
  reconnect: 1,
} as const;
type StepName = keyof typeof STEPS;

/** Clients of both eras. Pairs differ in one thing alone: the session, the credential, the program, or (twins) nothing at all. */
const CLIENTS: readonly (Pick<ParticipantOptions, 'name' | 'kind' | 'program' | 'levels'> & {
  token: 'one' | 'two' | undefined;
  isTwin?: true;
})[] = [
  { name: 'ann', kind: 'SDK 1.x', program: 'agent', token: 'one', levels: ['debug'] },
  { name: 'bob', kind: 'SDK 1.x', program: 'agent', token: 'one', levels: ['info'] },
  { name: 'cyd', kind: '2025 (legacy)', program: 'agent', token: undefined, levels: ['notice'] },
  { name: 'dan', kind: '2026-07-28', program: 'agent', token: 'one', levels: ['warning'] },
  { name: 'eve', kind: '2026-07-28', program: 'agent', token: 'two', levels: ['error', 'critical'] },
  { name: 'fay', kind: '2026-07-28', program: 'other', token: 'two', levels: ['alert'], isTwin: true },
  { name: 'gus', kind: '2026-07-28', program: 'other', token: 'two', levels: ['emergency'], isTwin: true },
];

export interface CrosstalkOptions {
  readonly steps: number;
  readonly seed: number;
  /** Starts the proxy with this configuration. */
  readonly start: (config: Record<string, unknown>) => Promise<RunningProxy>;
}

export interface CrosstalkOutcome extends Findings {
  /** How often each step was taken. */
  readonly taken: Readonly<Record<string, number>>;
  /** Records of what servers asked, that were compared with the client that was asked. */
  readonly records: number;
}

/** Several clients use two servers in random order, many steps at a time. */
export async function runCrosstalk({ steps, seed, start }: CrosstalkOptions): Promise<CrosstalkOutcome> {
  const findings: Findings = { crossings: [], failures: [] };
  const path = fileURLToPath(new URL('server.mjs', import.meta.url));
  const servers: HttpFixture[] = [];
  for (const args of [['2025'], ['--apart', '2025'], ['2026']])
    servers.push(await startHttpFixture(path, '/mcp', ...args));
  const proxy = await start(configFor(servers));
  const clients: Participant[] = [];
  try {
    clients.push(...(await connectAll(proxy, findings)));
    const taken = await takeSteps(clients, { steps, seed, findings });
    return { ...findings, taken, records: await examineRecords(proxy, findings) };
  } finally {
    for (const client of clients) await client.close().catch(() => undefined);
    await proxy.dispose();
    for (const server of servers) await server.stop();
  }
}

function configFor([older, apart, newer]: readonly HttpFixture[]): Record<string, unknown> {
  const ask = { roots: 'allow', sampling_per_minute: 10_000 };
  const allow = { client_features: { ...ask, sampling: 'allow' }, client_connections: 200 };
  return {
    mcpServers: {
      older: { url: older!.url, ...allow },
      apart: { url: apart!.url, ...allow, sharing: 'per_client' },
      // The consent form must reach the right person too.
      newer: { url: newer!.url, client_features: ask },
    },
  };
}

async function connectAll(proxy: RunningProxy, findings: Findings): Promise<Participant[]> {
  const keys = new Map<string | undefined, string>([[undefined, proxy.key]]);
  for (const name of ['one', 'two']) {
    const { token } = await proxy.rest.request('createToken', { body: { name, operations: ['read'] } });
    keys.set(name, token);
  }
  const clients = CLIENTS.map(
    ({ token, isTwin, ...rest }) =>
      new Participant({ ...rest, isTwin: isTwin === true, key: keys.get(token)!, url: proxy.url }, findings),
  );
  for (const client of clients) await client.connect();
  // From now on the proxy knows that this server asks, and gives each client a connection of its own.
  await clients[0]!.makeAsk('older');
  return clients;
}

type Step = readonly [name: StepName, who: number, server: Server, n: number];

async function takeSteps(
  clients: readonly Participant[],
  { steps, seed, findings }: { steps: number; seed: number; findings: Findings },
): Promise<Record<string, number>> {
  const names = Object.entries(STEPS).flatMap(([name, share]) =>
    Array<StepName>(share).fill(name as StepName),
  );
  const arbitrary = fc.tuple(
    fc.constantFrom(...names),
    fc.nat(clients.length - 1),
    fc.constantFrom(...SERVERS),
    fc.nat(99),
  );
  const list: Step[] = fc.sample(arbitrary, { numRuns: steps, seed });
  const taken: Record<string, number> = {};
  let next = 0;
  const work = async (): Promise<void> => {
    for (let step = list[next++]; step !== undefined; step = list[next++]) {
      const done = await take(clients, step).catch((error: unknown) => {
        findings.failures.push(`${step.join(' ')}: ${String(error)}`);
        return undefined;
      });
      if (done !== undefined) taken[done] = (taken[done] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return taken;
}

/** The name of the step, with the era of both sides. */
async function take(clients: readonly Participant[], [name, who, server, n]: Step): Promise<string> {
  const client = clients[who]!;
  const other = clients[n % clients.length]!;
  // A server of the 2025 era takes twins for one client, as the guide says: it keeps one set of roots and one log level for both.
  const target = client.options.isTwin && (name === 'roots' || name === 'level') ? 'newer' : server;
  const run: Record<StepName, () => Promise<void>> = {
    roots: () => client.run(() => client.checkRoots(target), target),
    level: () => client.run(() => client.checkLevel(target), target),
    elicit: () => client.run(() => client.elicit(target), target),
    sample: () => client.run(() => client.sample(target), target),
    log: () => client.run(() => client.log(target), target),
    progress: () => client.run(() => client.progress(target), target),
    watch: () => client.run(() => client.watch(target), target),
    touch: () => client.touchedBy(other),
    changeRoots: () => client.run(() => client.changeRoots()),
    setLevel: () => client.run(() => client.setLevel(n)),
    reconnect: () => (n < 20 ? client.reconnect() : Promise.resolve()),
  };
  await run[name]();
  return `${name} ${target} ${client.isModern ? '2026' : '2025'}`;
}

/** The log names the client that was asked: the text of each request names it too. */
async function examineRecords(proxy: RunningProxy, findings: Findings): Promise<number> {
  let seen = 0;
  for (const type of ['elicitation', 'sampling'] as const) {
    const { records } = await proxy.rest.request('listActivity', { type, limit: 100 });
    for (const record of records) {
      const [, owner] = /<([a-z]+):\d+>/.exec(JSON.stringify(record.arguments)) ?? [];
      const client = CLIENTS.find(({ name }) => name === owner);
      const principal = client?.token === undefined ? 'operator' : `token:${client.token}`;
      const isOwn = record.metadata.principal === principal && record.client === `${client?.program}/1.0.0`;
      if (!isOwn)
        findings.crossings.push(`the record ${record.id} of ${type} for ${owner} names another client`);
      seen++;
    }
  }
  return seen;
}
