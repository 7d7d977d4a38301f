import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkedCall, ERAS, type Upstream } from './calls.ts';
import { ROOT, stopAll } from './children.ts';
import { compileParts } from './compile.ts';
import { git, judge, LIMIT, namedCommits, SLOWDOWN, type Judgement } from './guard-judge.ts';
import { startLoad, type LoadGenerator } from './load-driver.ts';
import { ECHO_TEXT, type Target } from './load-plan.ts';
import { describeMachine, machineLines } from './machine.ts';
import {
  ECHO_COMMAND,
  PROGRAM,
  startEcho,
  startProxy,
  startRelay,
  STDIO_UPSTREAM,
  type Middle,
} from './middles.ts';
import { geometricMean, median } from './statistics.ts';
import { figure, table } from './table.ts';

// usage: npm run bench:guard -- [--base REV] [--rounds N] [--doc]
//        npm run bench:guard -- --self-test   this tree with itself, twice, then with a slowdown: passes, passes, fails
// Without --base: the last release (its tag), or what the page of performance was compared with.
// Compares the CPU time per call of this tree with an earlier one, side by side: both run at once and take turns, so noise hits both.

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

const PAGE = join(ROOT, 'docs/performance.md');

function lastRelease(): string {
  const tag = git('tag', '--list', 'v*', '--sort=-v:refname', '--merged', 'HEAD').split('\n')[0];
  const base = tag || namedCommits(readFileSync(PAGE, 'utf8'))?.base;
  if (!base) throw new Error('there is no release to compare with: name a commit with --base');
  return base;
}

/** A build of the earlier commit, made once and kept. Its dependencies are those of this tree, so only our own code differs. */
function buildBase(revision: string): string {
  const commit = git('rev-parse', '--short=12', `${revision}^{commit}`);
  const kept = join(ROOT, 'node_modules/.cache/mcpproxy-guard', commit);
  if (!existsSync(join(kept, 'package.json'))) {
    const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-base-'));
    git('clone', '--quiet', '--no-checkout', ROOT, dir);
    execFileSync('git', ['checkout', '--quiet', commit], { cwd: dir });
    symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: dir, stdio: 'inherit' });
    cpSync(join(dir, 'dist'), join(kept, 'dist'), { recursive: true });
    cpSync(join(dir, 'package.json'), join(kept, 'package.json'));
    rmSync(dir, { recursive: true, force: true });
  }
  return join(kept, 'dist/main.js');
}

type Way = 'relay' | 'base' | 'now';

interface Fleet {
  relay: Record<Upstream, Middle>;
  base: Middle;
  now: Middle;
}

/** Two programs to compare: flags of node for the second one slow it down. */
interface Pair {
  base: string;
  nowFlags?: string[];
}

async function startFleet(dir: string, { base, nowFlags = [] }: Pair): Promise<Fleet> {
  const echo = await startEcho(dir);
  const upstreams = { stdio: STDIO_UPSTREAM, http: { url: echo.url } };
  return {
    relay: { stdio: await startRelay(ECHO_COMMAND, dir), http: await startRelay([echo.url], dir) },
    base: await startProxy(upstreams, dir, { program: base }),
    now: await startProxy(upstreams, dir, { nodeFlags: nowFlags }),
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

interface Comparison extends Judgement {
  text: string;
}

interface Run {
  pair: Pair;
  baseName: string;
  cells: readonly Cell[];
  rounds: number;
}

const HEADER = [
  'upstream, client, operation',
  'callers',
  'relay',
  'base',
  'now',
  'base ÷ relay',
  'now ÷ relay',
  'now ÷ base',
];

async function compare({ pair, baseName, cells, rounds }: Run): Promise<Comparison> {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-guard-'));
  const load = startLoad();
  try {
    const fleet = await startFleet(dir, pair);
    const rows: string[][] = [];
    const perCell: number[][] = [];
    const toRelay: number[] = [];
    for (const cell of cells) {
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
    const judgement = judge(perCell);
    const { low, mean, high } = judgement;
    const text = [
      `CPU per call in µs; base is ${baseName}; ${rounds} rounds in turn\n`,
      table(HEADER, rows),
      `\ngeometric mean, now ÷ relay: ${geometricMean(toRelay).toFixed(2)}`,
      `geometric mean, now ÷ base: ${mean.toFixed(3)} (95 % interval ${low.toFixed(3)} to ${high.toFixed(3)}, limit ${LIMIT})`,
    ].join('\n');
    return { ...judgement, text };
  } finally {
    load.stop();
    await stopAll();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** One cell of each kind, so that three comparisons take two minutes. */
const FEW = CELLS.filter(({ upstream, era }) => (upstream === 'stdio') === (era === '2026-07-28'));

/** Whether the guard can tell: this tree is as fast as itself, twice in a row, and slower with work that was added. */
async function selfTest(rounds: number): Promise<boolean> {
  const runs: Array<[name: string, nowFlags: string[], isSlower: boolean]> = [
    ['this tree and itself', [], false],
    ['this tree and itself, again', [], false],
    ['this tree and itself with a slowdown', ['--import', SLOWDOWN], true],
  ];
  let isRight = true;
  for (const [name, nowFlags, expected] of runs) {
    const found = await compare({
      pair: { base: PROGRAM, nowFlags },
      baseName: 'this tree',
      cells: FEW,
      rounds,
    });
    isRight &&= found.isSlower === expected;
    const { mean, low, high } = found;
    const verdict = found.isSlower ? 'fails' : 'passes';
    console.log(
      `${name}: ${verdict}, as it ${found.isSlower === expected ? 'must' : 'MUST NOT'} (${mean.toFixed(3)}, 95 % interval ${low.toFixed(3)} to ${high.toFixed(3)}, limit ${LIMIT})`,
    );
  }
  return isRight;
}

const SECTION = /(<!-- guard -->\n)[\s\S]*?(\n<!-- end of guard -->)/;

/** Writes the run into the page, with the commits that a test compares with the history. */
function writePage({ text, mean, low, high }: Comparison, base: string, machine: string): void {
  const [now, from] = [
    git('rev-parse', '--short=8', 'HEAD'),
    git('rev-parse', '--short=8', `${base}^{commit}`),
  ];
  const at = `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const said = `The run of ${at}, of commit ${now} against ${from}: ${mean.toFixed(3)} times the CPU time (95 % interval ${low.toFixed(3)} to ${high.toFixed(3)}).`;
  const page = readFileSync(PAGE, 'utf8');
  const section = `${said}\n\n\`\`\`text\n${machine}\n\n${text}\n\`\`\``;
  writeFileSync(
    PAGE,
    page.replace(SECTION, (_, begin: string, end: string) => `${begin}${section}${end}`),
  );
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      base: { type: 'string' },
      rounds: { type: 'string', default: '7' },
      doc: { type: 'boolean', default: false },
      'self-test': { type: 'boolean', default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 3) throw new Error('--rounds must be a whole number from 3 on');
  compileParts();
  const machine = machineLines(describeMachine());
  console.log(`${machine}\n`);
  if (values['self-test']) {
    if (!(await selfTest(rounds))) process.exitCode = 1;
    return;
  }
  const base = values.base ?? lastRelease();
  const found = await compare({ pair: { base: buildBase(base) }, baseName: base, cells: CELLS, rounds });
  console.log(found.text);
  if (values.doc) writePage(found, base, machine);
  if (!found.isSlower) return;
  console.log('A call has become slower. Find out why before you release.');
  process.exitCode = 1;
}

await main();
