import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attack, Scale, Tally } from '../attacks/attack.ts';
import { MCP_LIMITS } from '../../src/doors/mcp/limits.ts';
import { openSession } from '../e2e/raw-token.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { startHttpFixture } from '../fixtures/start.ts';
import { memoryOf, pause, percentile } from './calls.ts';
import { onSignal } from './inside.ts';
import { createCrowd } from './soak-clients.ts';
import { judgeSoak, PER_SECOND, type Minute, type Plan } from './soak-judge.ts';
import { startSoakServers, type SoakServers } from './soak-servers.ts';

const PLANS: Record<Scale, Plan> = {
  quick: { seconds: 20, everySeconds: 2, disturbMs: 2_500, stayMs: 4_000, restMs: 0 },
  full: { seconds: 1_800, everySeconds: 60, disturbMs: 5_000, stayMs: 15_000, restMs: 35_000 },
};
const SERVERS = 20;
const CLIENTS = 24;
const SETTINGS = { activity: { max_records: 5_000 } };

/** Asked by a signal, the proxy collects its garbage and writes down what is left: what grows then is a leak. */
const weigh = (file: string) =>
  onSignal(
    `const get=process.getBuiltinModule;get('v8').setFlagsFromString('--expose-gc');get('vm').runInNewContext('gc')();` +
      `const {heapUsed,external}=process.memoryUsage();` +
      `get('fs').writeFileSync(${JSON.stringify(file)},String((heapUsed+external)/1048576))`,
  );

export const soak: Attack = {
  threat: 'F28',
  title: 'half an hour of work with servers, clients and settings changing',
  async run(tally, scale) {
    const plan = PLANS[scale];
    const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-soak-'));
    const servers = await startSoakServers(SERVERS, SETTINGS);
    const file = join(dir, 'live');
    const config = { ...SETTINGS, mcpServers: servers.config };
    const proxy = await startProxy({ config, env: weigh(file), waitReady: false });
    try {
      const ready = async () => (await fetch(`${proxy.url}/readyz`)).ok || undefined;
      await poll('all servers', proxy.stderr, ready);
      await work(tally, { plan, proxy, servers, live: () => liveMemory(proxy, file) });
    } finally {
      await proxy.dispose();
      await servers.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  },
};

interface Stage {
  plan: Plan;
  proxy: RunningProxy;
  servers: SoakServers;
  live: () => Promise<number>;
}

async function work(tally: Tally, { plan, proxy, servers, live }: Stage): Promise<void> {
  if (plan.restMs > 0) await fillSessions(proxy);
  await pause(plan.restMs);
  const atRest = look(proxy).fds;
  const crowd = createCrowd(proxy, plan.stayMs);
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  const minutes: Minute[] = [];
  const failures = new Map<string, number>();
  const surprises: string[] = [];
  const troubles: string[] = [];
  let times: number[] = [];
  let calls = 0;

  async function one(n: number, place: Place): Promise<void> {
    const name = servers.names[n % servers.names.length]!;
    const began = performance.now();
    const writes = n % 7 === 0 && !servers.readTool(name).endsWith('echo');
    const tool = writes ? `${name}:writer_not_destructive` : servers.readTool(name);
    const args = { text: `call ${n} ${'x'.repeat(n % 50 === 0 ? 20_000 : 100)}` };
    const { code, ms } = await place.call({ tool, operation: writes ? 'write' : 'read', args });
    const disturbed = servers.isDisturbed(name, began);
    if (code === 'ok') {
      if (!disturbed) times.push(ms);
    } else if (disturbed && EXPLAINED.has(code)) failures.set(code, (failures.get(code) ?? 0) + 1);
    else surprises.push(`${name} at ${Math.round(seconds())} s: ${code}`);
  }

  /** So many calls per second of all together; where the machine cannot, as many as it can. */
  async function caller(): Promise<void> {
    const place = crowd.place();
    while (seconds() < plan.seconds) {
      if (calls < seconds() * PER_SECOND) await one(calls++, place);
      else await pause(5);
    }
    place.leave();
  }

  const callers = Array.from({ length: CLIENTS }, () => caller());
  const disturbing = setInterval(
    () => void servers.disturb(proxy).catch((error: Error) => troubles.push(error.message)),
    plan.disturbMs,
  );
  const watching = watchEvents(proxy, plan.stayMs);
  const bare = await timeBareServer();
  let half: number | undefined;
  try {
    for (let next = plan.everySeconds; seconds() < plan.seconds; next += plan.everySeconds) {
      await pause((next - seconds()) * 1000);
      minutes.push({ at: seconds(), ...look(proxy), ...speed(times), bare: bare.p99(), calls });
      if (plan.everySeconds >= 60) console.log(`     ${lineOf(minutes.at(-1)!)}`);
      times = [];
      if (half === undefined && seconds() > plan.seconds / 2) half = await live();
    }
    await Promise.all(callers);
  } finally {
    clearInterval(disturbing);
    watching.stop();
    await bare.stop();
  }
  await pause(plan.restMs);
  const fdsAtRest: [number, number] = [atRest, look(proxy).fds];
  const end = await live();
  const facts = {
    minutes,
    surprises,
    failures,
    troubles,
    calls,
    came: crowd.came(),
    fdsAtRest,
    half: half!,
    end,
  };
  await judgeSoak(tally, proxy, { ...facts, plan, servers: SERVERS, disturbances: servers.disturbances() });
}

type Place = ReturnType<ReturnType<typeof createCrowd>['place']>;

/** Sessions that nobody ends are kept up to a limit; what they take is there from the beginning, and is no growth later. */
async function fillSessions({ url, key }: RunningProxy): Promise<void> {
  for (let n = 0; n < MCP_LIMITS.sessions; n += 10)
    await Promise.all(Array.from({ length: 10 }, () => openSession(url, key)));
}

/** What may become of a call to a server that has just been ended, changed or restarted. */
const EXPLAINED = new Set([
  'SERVER_UNAVAILABLE',
  'OUTCOME_UNKNOWN',
  'UPSTREAM_FAILED',
  'CANCELLED',
  'TOOL_NOT_FOUND',
]);

const lineOf = ({ at, rss, fds, p50, p99, bare, calls }: Minute) =>
  `${Math.round(at / 60)} min: ${rss} MB, ${fds} descriptors, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms (a bare server ${bare.toFixed(1)} ms), ${calls} calls`;

const speed = (times: number[]) => ({ p50: percentile(times, 0.5), p99: percentile(times, 0.99) });

const look = ({ pid }: RunningProxy) => ({
  rss: memoryOf(pid, 'VmRSS'),
  fds: readdirSync(`/proc/${pid}/fd`).length,
});

async function liveMemory(proxy: RunningProxy, file: string): Promise<number> {
  rmSync(file, { force: true });
  process.kill(proxy.pid, 'SIGUSR2');
  return poll('the size of what lives', proxy.stderr, () => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return text === '' ? undefined : Number(text);
  });
}

/** A server that does nothing, asked all the time: how much slower the machine itself becomes. */
async function timeBareServer() {
  const server = await startHttpFixture('http-echo.mjs', '/nothing');
  let times: number[] = [];
  const ask = async () => {
    const began = performance.now();
    const answer = await fetch(server.url).catch(() => undefined);
    await answer?.arrayBuffer();
    times.push(performance.now() - began);
  };
  const timer = setInterval(() => void ask(), 100);
  return {
    p99() {
      const found = percentile(times, 0.99);
      times = [];
      return found;
    },
    async stop() {
      clearInterval(timer);
      await server.stop();
    },
  };
}

/** A reader of events that disconnects without notice and reconnects. */
function watchEvents(proxy: RunningProxy, stayMs: number): { stop(): void } {
  let reader = new AbortController();
  const open = () => {
    reader.abort();
    reader = new AbortController();
    const headers = { authorization: `Bearer ${proxy.key}` };
    fetch(`${proxy.url}/api/v1/events`, { headers, signal: reader.signal })
      .then(async ({ body }) => {
        for await (const _piece of body!) continue;
      })
      .catch(() => {});
  };
  open();
  const timer = setInterval(open, stayMs);
  return {
    stop() {
      clearInterval(timer);
      reader.abort();
    },
  };
}
