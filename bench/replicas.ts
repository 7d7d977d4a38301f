import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startProxy, type RunningProxy } from '../test/e2e/start-proxy.ts';
import { startPostgres } from '../test/fixtures/postgres-server.ts';
import { newRowKeyText } from '../test/fixtures/row-seal.ts';
import { checkedCall } from './calls.ts';
import { stopAll } from './children.ts';
import { compileParts } from './compile.ts';
import { startLoad } from './load-driver.ts';
import type { RoundResult } from './load-plan.ts';
import { describeMachine, machineLines } from './machine.ts';
import { startEcho } from './middles.ts';
import { cpuUs } from './process-usage.ts';
import { figure, table } from './table.ts';

// usage: node --import tsx bench/replicas.ts
// One, two and four proxies on one durable PostgreSQL, all on this machine: calls a second, CPU time per call of proxies and database,
// write-ahead log and stored bytes per call, connections.

const SIZES = [1, 2, 4];
const CALLERS = 32;
const WARM_MS = 1_000;
/** A proxy that has run for a while is compiled. */
const PRIME_CALLS = 2_000;
const MEASURE_MS = 5_000;

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-replicas-'));
const database = await startPostgres({ fsync: true });
const proxies: RunningProxy[] = [];
const rows: string[][] = [];
try {
  compileParts();
  const echo = await startEcho(dir);
  const url = await database.createDatabase();
  const config = { database_url: url, mcpServers: { http: { url: echo.url } } };
  const rowKey = newRowKeyText();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const size of SIZES) {
    while (proxies.length < size) {
      proxies.push(await startProxy({ config, rowKey }));
      await loadOn(proxies.length - 1, 'write', { callers: 8, measure: { calls: PRIME_CALLS } });
    }
    for (const operation of ['read', 'write'] as const) rows.push(await measure(size, operation, client));
  }
  await client.end();
} finally {
  for (const proxy of proxies) await proxy.dispose();
  await stopAll();
  await database.remove();
  rmSync(dir, { recursive: true, force: true });
}
console.log(machineLines(describeMachine()));
console.log(
  table(
    [
      'proxies',
      'operation',
      'calls/s',
      'p50 ms',
      'p99 ms',
      'proxy µs/call',
      'database µs/call',
      'WAL bytes/call',
      'stored bytes/call',
      'connections',
    ],
    rows,
  ),
);

async function loadOn(
  at: number,
  operation: 'read' | 'write',
  { callers, measure: how }: { callers: number; measure: { calls: number } | { measureMs: number } },
): Promise<RoundResult> {
  const { url, key, pid } = proxies[at]!;
  const target = { name: `proxy ${at}`, era: '2026-07-28', url: `${url}/mcp`, pid } as const;
  const load = startLoad();
  try {
    const call = { headers: { 'x-api-key': key }, ...checkedCall('http', operation) };
    return await load.run({ target: { ...target, ...call }, callers, warmMs: WARM_MS, ...how });
  } finally {
    load.stop();
  }
}

async function measure(size: number, operation: 'read' | 'write', client: pg.Client): Promise<string[]> {
  const before = await stateOf(client);
  const one = { callers: CALLERS / size, measure: { measureMs: MEASURE_MS } };
  const results = await Promise.all(Array.from({ length: size }, (_, at) => loadOn(at, operation, one)));
  const after = await stateOf(client);
  const calls = after.records - before.records;
  const sum = (of: (result: RoundResult) => number) => results.reduce((total, each) => total + of(each), 0);
  const perCall = (of: 'cpu' | 'wal' | 'stored') => figure((after[of] - before[of]) / calls);
  const mean = (of: (result: RoundResult) => number) => figure(sum(of) / size);
  return [
    String(size),
    operation,
    figure(sum(({ callsPerSecond }) => callsPerSecond)),
    mean(({ p50Ms }) => p50Ms),
    mean(({ p99Ms }) => p99Ms),
    figure(sum((each) => (each.cpuUs ?? 0) * each.calls) / sum((each) => each.calls)),
    perCall('cpu'),
    perCall('wal'),
    perCall('stored'),
    String(after.connections),
  ];
}

interface State {
  records: number;
  wal: number;
  stored: number;
  connections: number;
  /** Of all processes of the server that run. */
  cpu: number;
}

async function stateOf(client: pg.Client): Promise<State> {
  const { rows: found } = await client.query<Omit<State, 'cpu'>>(
    `SELECT (SELECT count(*) FROM activity)::float8 AS records, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal,
            pg_database_size(current_database())::float8 AS stored,
            (SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'mcpproxy%')::float8 AS connections`,
  );
  return { ...found[0]!, cpu: serverPids().reduce((sum, pid) => sum + cpuUs(pid), 0) };
}

function serverPids(): number[] {
  const first = Number(readFileSync(join(database.dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const parentOf = (pid: string) => {
    try {
      return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1]);
    } catch {
      return undefined;
    }
  };
  const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === first);
  return [first, ...others.map(Number)];
}
