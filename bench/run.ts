import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ListingReport } from './activity-listing.ts';
import { measureCalls, startFleet } from './calls.ts';
import type { CheckResult } from './checks.ts';
import { outputOf, stopAll } from './children.ts';
import { compileParts } from './compile.ts';
import { goalText, judge } from './goals.ts';
import { startLoad, type LoadGenerator } from './load-driver.ts';
import { describeMachine, machineLines } from './machine.ts';
import { measureMemory } from './memory.ts';
import { sectionText, type Report, type SectionName } from './report.ts';
import { measureEdges } from './sdk-edges.ts';
import { measureSearch } from './search-times.ts';
import { measureStart } from './start.ts';

// usage: npm run bench -- [--quick] [--only SECTION]… [--json FILE] [--doc FILE]

interface Bench {
  quick: boolean;
  dir: string;
  load: LoadGenerator;
}
type Section<N extends SectionName> = {
  title: string;
  run: (bench: Bench) => Promise<NonNullable<Report[N]>>;
};

const SECTIONS: { [N in SectionName]: Section<N> } = {
  calls: {
    title: 'Calls: a 200-byte echo, keep-alive, closed loop; medians of interleaved rounds',
    run: runCalls,
  },
  memory: {
    title: 'Memory, 32 callers',
    run: ({ load, dir, quick }) => measureMemory(load, dir, quick ? 1000 : 10_000),
  },
  check: {
    title: 'The intent check alone',
    run: async ({ quick }) =>
      JSON.parse(outputOf('checks', quick ? [3, 20_000] : [9, 100_000])) as CheckResult[],
  },
  search: {
    title: 'Search, top 10',
    run: async ({ quick }) => measureSearch(quick ? [1000, 10_000] : [1000, 10_000, 100_000]),
  },
  activity: {
    title: 'Activity log',
    run: async ({ quick }) =>
      (JSON.parse(outputOf('activity-listing', quick ? [50_000, 20] : [1_000_000, 100])) as ListingReport)
        .pages,
  },
  start: { title: 'Start', run: ({ dir, quick }) => measureStart(dir, quick ? 3 : 10) },
  edges: {
    title: 'The MCP endpoint alone, 16 callers',
    run: ({ load, dir, quick }) =>
      measureEdges(
        load,
        dir,
        quick ? { rounds: 1, warmMs: 100, measureMs: 300 } : { rounds: 3, warmMs: 300, measureMs: 1000 },
      ),
  },
};
const NAMES = Object.keys(SECTIONS) as SectionName[];

async function runCalls({ load, dir, quick }: Bench) {
  const effort = quick
    ? { rounds: 1, warmMs: 100, measureMs: 300, callers: [32], prime: 500 }
    : { rounds: 3, warmMs: 300, measureMs: 1000, callers: [1, 32], prime: 4000 };
  return measureCalls({ load, fleet: await startFleet(dir), effort, say });
}

const printed: string[] = [];

function print(text: string): void {
  printed.push(text);
  console.log(text);
}

/** Puts what was printed into the page, in the place of the last run. */
function writeDoc(file: string): void {
  const page = readFileSync(file, 'utf8');
  const [before, rest] = page.split('<!-- last run -->\n');
  const [, after] = rest?.split('<!-- end of last run -->\n') ?? [];
  if (before === undefined || after === undefined) throw new Error(`${file} has no place for the last run`);
  const run = `<!-- last run -->\n\`\`\`text\n${printed.join('\n')}\n\`\`\`\n<!-- end of last run -->\n`;
  writeFileSync(file, before + run + after);
}

function say(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

/** A section that cannot run says why and leaves the others alone. */
async function runSection(name: SectionName, bench: Bench, report: Report): Promise<void> {
  const { title, run } = SECTIONS[name];
  say(name);
  try {
    const rows = await run(bench);
    Object.assign(report, { [name]: rows });
    say('');
    print(`\n${title}\n\n${sectionText(name, rows)}`);
  } catch (error) {
    say('');
    print(`\n${title}\n\nnot measured: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await stopAll();
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      json: { type: 'string' },
      doc: { type: 'string' },
    },
  });
  const chosen = values.only ?? NAMES;
  const unknown = chosen.find((name) => !NAMES.includes(name as SectionName));
  if (unknown !== undefined) throw new Error(`no section "${unknown}"; there are ${NAMES.join(', ')}`);

  const report: Report = { machine: describeMachine() };
  print(machineLines(report.machine));
  compileParts();
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-bench-'));
  const load = startLoad();
  try {
    for (const name of NAMES.filter((name) => chosen.includes(name)))
      await runSection(name, { quick: values.quick, dir, load }, report);
  } finally {
    load.stop();
    rmSync(dir, { recursive: true, force: true });
  }
  const goals = judge(report);
  print(`\nTargets${values.quick ? ' (a quick run: figures are rough)' : ''}\n\n${goalText(goals)}`);
  if (values.doc) writeDoc(values.doc);
  if (values.json) writeFileSync(values.json, `${JSON.stringify({ ...report, goals }, null, 2)}\n`);
}

await main();
