import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkedCall, ERAS, type Upstream } from './calls.ts';
import { ROOT, stopAll } from './children.ts';
import { compileParts } from './compile.ts';
import { startLoad, type LoadGenerator } from './load-driver.ts';
import { ECHO_TEXT, type Target } from './load-plan.ts';
import { describeMachine, machineLines } from './machine.ts';
import { ECHO_COMMAND, startEcho, startProxy, startRelay, STDIO_UPSTREAM, type Middle } from './middles.ts';
import { geometricMean, interval, median } from './statistics.ts';
import { figure, table } from './table.ts';

// usage: npm run bench:guard -- [--base REV] [--rounds N]
// Compares the CPU time per call of this tree with an earlier one, side by side: both run at once and take turns, so noise hits both.

/** The geometric mean of the ratios may be this much worse, and the change must be certain: the whole interval lies above it. */
const LIMIT = 1.08;
const MEASURE_MS = 400;
const PRIME_CALLS = 4000;

interface Cell {
  upstream: Upstream;
  era: (typeof ERAS)[number];
  operation: 'read' | 'write';
  callers: number;
}

const CELLS: Cell[] = (['stdio', 'http'] as const).flatMap((upstream) =>
  ERAS.flatMap((era) =>
    (['read', 'write'] as const).flatMap((operation) =>
      [1, 32].map((callers) => ({ upstream, era, operation, callers })),
    ),
  ),
);

/** A build of the earlier commit. Its dependencies are those of this tree, so only our own code differs. */
function buildBase(revision: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const commit = git('rev-parse', '--short=12', `${revision}^{commit}`);
  const dir = join(tmpdir(), `mcpproxy-base-${commit}`);
  if (!existsSync(join(dir, 'dist/web/index.html'))) {
    rmSync(dir, { recursive: true, force: true });
    git('clone', '--quiet', '--no-checkout', ROOT, dir);
    execFileSync('git', ['checkout', '--quiet', commit], { cwd: dir });
    symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: dir, stdio: 'inherit' });
  }
  return join(dir, 'dist/main.js');
}

type Way = 'relay' | 'base' | 'now';

interface Fleet {
  relay: Record<Upstream, Middle>;
  base: Middle;
  now: Middle;
}

async function startFleet(dir: string, base: string): Promise<Fleet> {
  const echo = await startEcho(dir);
  const upstreams = { stdio: STDIO_UPSTREAM, http: { url: echo.url } };
  return {
    relay: { stdio: await startRelay(ECHO_COMMAND, dir), http: await startRelay([echo.url], dir) },
    base: await startProxy(upstreams, dir, { program: base }),
    now: await startProxy(upstreams, dir),
  };
}

function targetsOf({ relay, base, now }: Fleet, { upstream, era, operation }: Cell): Record<Way, Target> {
  const at = ({ name, url, pid, headers }: Middle) => ({ name, url, pid, era, ...(headers && { headers }) });
  const call = checkedCall(upstream, operation);
  return {
    relay: { ...at(relay[upstream]), tool: 'echo', args: { text: ECHO_TEXT } },
    base: { ...at(base), ...call },
    now: { ...at(now), ...call },
  };
}

/** CPU time per call of each, round by round. Who comes first alternates. */
async function measureCell(
  load: LoadGenerator,
  { targets, callers, rounds }: { targets: Record<Way, Target>; callers: number; rounds: number },
): Promise<Record<Way, number[]>> {
  const times: Record<Way, number[]> = { relay: [], base: [], now: [] };
  for (let round = 0; round < rounds; round++) {
    const order: Way[] = round % 2 === 0 ? ['relay', 'base', 'now'] : ['now', 'base', 'relay'];
    for (const way of order) {
      const { cpuUs } = await load.run({ target: targets[way], callers, warmMs: 50, measureMs: MEASURE_MS });
      times[way].push(cpuUs!);
    }
  }
  return times;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { base: { type: 'string', default: 'HEAD~1' }, rounds: { type: 'string', default: '7' } },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 3) throw new Error('--rounds must be a whole number from 3 on');
  const program = buildBase(values.base);
  compileParts();
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-guard-'));
  const load = startLoad();
  try {
    const fleet = await startFleet(dir, program);
    const rows: string[][] = [];
    const perCell: number[][] = [];
    const toRelay: number[] = [];
    for (const cell of CELLS) {
      const targets = targetsOf(fleet, cell);
      for (const target of Object.values(targets))
        await load.run({ target, callers: 32, warmMs: 0, calls: PRIME_CALLS });
      const times = await measureCell(load, { targets, callers: cell.callers, rounds });
      const ratios = times.now.map((us, round) => us / times.base[round]!);
      perCell.push(ratios);
      const [relay, base, now] = [median(times.relay), median(times.base), median(times.now)];
      toRelay.push(now / relay);
      rows.push([
        `${cell.upstream} ${cell.era} ${cell.operation}`,
        String(cell.callers),
        ...[relay, base, now].map(figure),
        (base / relay).toFixed(2),
        (now / relay).toFixed(2),
        median(ratios).toFixed(3),
      ]);
    }
    const { low, mean, high } = interval(perCell);
    console.log(machineLines(describeMachine()));
    console.log(`\nCPU per call in µs; base is ${values.base}; ${rounds} rounds in turn\n`);
    const header = [
      'upstream, client, operation',
      'callers',
      'relay',
      'base',
      'now',
      'base ÷ relay',
      'now ÷ relay',
      'now ÷ base',
    ];
    console.log(table(header, rows));
    console.log(`\ngeometric mean, now ÷ relay: ${geometricMean(toRelay).toFixed(2)}`);
    console.log(
      `geometric mean, now ÷ base: ${mean.toFixed(3)} (95 % interval ${low.toFixed(3)} to ${high.toFixed(3)}, limit ${LIMIT})`,
    );
    if (mean > LIMIT && low > 1) {
      console.log('A call has become slower. Find out why before you release.');
      process.exitCode = 1;
    }
  } finally {
    load.stop();
    await stopAll();
    rmSync(dir, { recursive: true, force: true });
  }
}

await main();
