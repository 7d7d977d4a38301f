import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../src/contract/routes/client.ts';
import { checkHistory } from './check-history.ts';
import { createClusterClient, ERAS, pause } from './clients.ts';
import { startCluster, type Cluster, type Replication } from './cluster.ts';
import { failOver, FAULTS, type Fault } from './faults.ts';
import type { FoundLog, History, ToolName } from './history.ts';
import { createRandom, type Random } from './random.ts';

export interface RunOptions {
  seed: number;
  seconds: number;
  /** Clients of each era. */
  clients?: number;
  /** The disk of the database can be filled, where one may be mounted. */
  hasDisk?: boolean;
}

export interface RunOutcome {
  seed: number;
  mode: Replication;
  faults: string[];
  calls: Record<'done' | 'refused' | 'unclear', number>;
  ran: number;
  missing: string | undefined;
  breaches: string[];
}

const PROXIES = 3;
/** Only against a hang: on a busy machine everything takes its time. */
const READY_MS = 280_000;

/** One run: clients call, operators decide and forbid, things break; afterwards everything is repaired and the history is checked. */
export async function runOnce({
  seed,
  seconds,
  clients = 2,
  hasDisk = false,
}: RunOptions): Promise<RunOutcome> {
  const random = createRandom(seed);
  const mode: Replication = random.next() < 0.5 ? 'synchronous' : 'asynchronous';
  const cluster = await startCluster({ size: PROXIES, mode, hasDisk });
  const history: History = { calls: [], runs: cluster.ledger.runs, approvals: [], policies: [] };
  const faults: string[] = [];
  try {
    await untilReady(cluster);
    const { token } = await cluster.operator(0).request('createToken', { body: { name: 'agent' } });
    const stop = new AbortController();
    const { signal } = stop;
    const places = ERAS.flatMap((era) =>
      Array.from({ length: clients }, () => ({ url: cluster.balancer.url, token, era })),
    );
    const work = [
      ...places.map((place, index) => keepCalling(place, { name: `${seed}-${index}`, history, signal })),
      keepApproving(cluster, history, signal),
      keepForbidding(cluster, history, { signal, random: createRandom(seed + 1) }),
    ];
    await untilAnswered(history);
    await breakThings(cluster, { random, seconds, faults });
    stop.abort();
    await Promise.all(work);
    await repair(cluster);
    const log = await readLog(cluster);
    return {
      seed,
      mode,
      faults,
      calls: countOutcomes(history),
      ran: history.runs.length,
      missing: log.missing,
      breaches: checkHistory(history, log),
    };
  } finally {
    await cluster.remove();
  }
}

interface Worker {
  name: string;
  history: History;
  signal: AbortSignal;
}

/** Twice as many plain writes as of the others. */
const MENU: readonly ToolName[] = ['put', 'get', 'put', 'log', 'wipe'];

async function keepCalling(
  place: Parameters<typeof createClusterClient>[0],
  { name, history, signal }: Worker,
): Promise<void> {
  const client = createClusterClient(place);
  for (let n = 0; !signal.aborted; n++) {
    const tool = MENU[n % MENU.length]!;
    const nonce = `${name}-${n}`;
    for (;;) {
      const started = performance.now();
      const answered = await client.call(tool, nonce);
      history.calls.push({ nonce, tool, client: place.era, started, ended: performance.now(), ...answered });
      if (answered.said !== 'APPROVAL_PENDING' || signal.aborted) break;
      await pause(100, signal);
    }
    await pause(30, signal);
  }
}

/** The operator approves whatever waits, at any proxy, and again where the answer was lost. */
async function keepApproving(cluster: Cluster, history: History, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(150, signal);
    try {
      const { approvals } = await cluster
        .operator()
        .request('listApprovals', { status: 'pending' }, AbortSignal.timeout(5_000));
      for (const { id, arguments: args } of approvals) {
        const { nonce } = args as { nonce: string };
        history.approvals.push({ nonce, id });
        await cluster
          .operator()
          .request('decideApproval', { id, body: { decision: 'approve' } }, AbortSignal.timeout(5_000));
      }
    } catch {
      // Tried again: a proxy or the database is away, or somebody else has decided.
    }
  }
}

/** In which ways `log` may be forbidden: as a verdict, and as a setting that all proxies share. */
const WAYS: ReadonlyArray<
  Record<'forbid' | 'permit', (operator: Client, limit: AbortSignal) => Promise<unknown>>
> = [
  {
    forbid: (operator, limit) =>
      operator.request('setOperation', { name: 'ledger:log', body: { operation: 'destructive' } }, limit),
    permit: (operator, limit) => operator.request('clearOperation', { name: 'ledger:log' }, limit),
  },
  {
    forbid: (operator, limit) =>
      operator.request(
        'updateServer',
        { name: 'ledger', body: { tools: { log: { enabled: false } } } },
        limit,
      ),
    permit: (operator, limit) =>
      operator.request('updateServer', { name: 'ledger', body: { tools: null } }, limit),
  },
];

/** The operator forbids `log` for a while, at any proxy. */
async function keepForbidding(
  cluster: Cluster,
  { policies }: History,
  { signal, random }: { signal: AbortSignal; random: Random },
): Promise<void> {
  const attempt = (ask: (operator: Client, limit: AbortSignal) => Promise<unknown>) =>
    ask(cluster.operator(Math.floor(random.between(0, PROXIES))), AbortSignal.timeout(10_000)).then(
      () => true,
      () => false,
    );
  while (!signal.aborted) {
    await pause(random.between(200, 900), signal);
    const { forbid, permit } = random.pick(WAYS);
    const isForbidden = await attempt(forbid);
    // What was not acknowledged may be in force all the same, but nothing follows from it.
    const change = { tool: 'log' as const, acknowledged: performance.now(), ended: Infinity };
    if (isForbidden) policies.push(change);
    await pause(random.between(200, 900), signal);
    if (signal.aborted) return;
    change.ended = performance.now();
    while (!signal.aborted && !(await attempt(permit))) await pause(200, signal);
  }
}

async function breakThings(
  cluster: Cluster,
  { random, seconds, faults }: { random: Random; seconds: number; faults: string[] },
): Promise<void> {
  const until = performance.now() + seconds * 1000;
  let failsOver = random.next() < 0.5;
  const able = () => FAULTS.filter(({ applies }) => applies?.(cluster) ?? true);
  while (performance.now() < until) {
    await sleep(random.between(300, 1_200));
    const fault: Fault = failsOver && random.next() < 0.4 ? failOver : random.pick(able());
    if (fault === failOver) failsOver = false;
    faults.push(fault.name);
    await fault.run(cluster, random);
  }
}

/** Nothing breaks before the first call was acknowledged. */
async function untilAnswered({ calls }: History): Promise<void> {
  const deadline = performance.now() + READY_MS;
  while (!calls.some(({ outcome }) => outcome === 'done')) {
    if (performance.now() > deadline) throw new Error('no call is answered');
    await sleep(50);
  }
}

/** Everything runs again, and says that it is ready. */
async function repair(cluster: Cluster): Promise<void> {
  for (const [index, { proxy }] of cluster.replicas.entries()) if (!proxy) await cluster.start(index);
  await untilReady(cluster);
}

async function untilReady({ replicas }: Cluster): Promise<void> {
  const deadline = performance.now() + READY_MS;
  for (const { proxy } of replicas)
    while (!(await isReady(proxy!.url))) {
      if (performance.now() > deadline)
        throw new Error(`a proxy does not get ready:\n${proxy!.stderr().slice(-3000)}`);
      await sleep(100);
    }
}

/** A proxy that serves and reports a gap in its log says 503 until the operator accepts it; its status says what is missing. */
async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`).catch(() => undefined);
  if (!response) return false;
  const text = await response.text();
  return response.ok || /missing|restore/i.test(text);
}

async function readLog(cluster: Cluster): Promise<FoundLog> {
  const records = new Map<string, string[]>();
  const answer = await cluster.operator(0).open('exportActivity', { type: 'tool_call', format: 'json' });
  for (const line of (await answer.text()).split('\n').filter(Boolean)) {
    const { arguments: args, status } = JSON.parse(line) as {
      arguments?: { nonce?: string };
      status: string;
    };
    if (args?.nonce !== undefined) records.set(args.nonce, [...(records.get(args.nonce) ?? []), status]);
  }
  const said: string[] = [];
  for (const index of cluster.replicas.keys()) {
    const { activity } = await cluster.operator(index).request('status', {});
    if (activity.rollback) said.push(`proxy ${index}: ${JSON.stringify(activity.rollback)}`);
  }
  const { intact, problem, why, restored } = await cluster.operator(0).request('verifyActivity', {});
  if (restored.length > 0) said.push(`verify: ${JSON.stringify(restored)}`);
  return {
    records,
    problem: intact ? undefined : (problem ?? { reason: 'unknown', message: String(why) }),
    missing: said.length === 0 ? undefined : said.join('; '),
  };
}

function countOutcomes({ calls }: History): RunOutcome['calls'] {
  const counts = { done: 0, refused: 0, unclear: 0 };
  for (const { outcome } of calls) counts[outcome]++;
  return counts;
}
