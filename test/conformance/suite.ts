import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow } from '../fixtures/files-below.ts';
import type { List } from './scenarios.ts';

export interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  errorMessage?: string;
}

export interface SuiteRun {
  exitCode: number | null;
  output: string;
  /** What the suite checked, by scenario. */
  checks: Record<string, Check[]>;
}

export const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const SUITE = here('../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const PRELOADS = ['preload-node20.mjs', 'preload-list.mjs', 'preload-key.mjs'];
/** Only against a suite that hangs: on a busy machine everything may take ten times as long. */
const LIMIT_MS = 560_000;
/** The suite waits for the next message of a stream that has none, which is a comment every ten seconds. */
const SCENARIO_MS = 180_000;

/** One process of the official suite that runs one list. */
export async function runList(list: List, target: string[], env: NodeJS.ProcessEnv = {}): Promise<SuiteRun> {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-suite-'));
  const listFile = join(dir, 'list.yaml');
  const results = join(dir, 'results');
  // The suite reads YAML, and JSON is YAML.
  writeFileSync(listFile, JSON.stringify({ [list.side]: Object.keys(list.scenarios) }));
  try {
    const args = [list.side, ...target, '--requirements', list.revision, '-o', results];
    if (list.side === 'server') args.push('--timeout', String(SCENARIO_MS));
    const { exitCode, output } = await runSuite(args, { ...env, SUITE_LIST: listFile });
    return { exitCode, output: output + complaints(results), checks: readChecks(results) };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

export function runSuite(
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ exitCode: number | null; output: string }> {
  const preloads = PRELOADS.flatMap((file) => ['--import', new URL(file, import.meta.url).href]);
  const child = spawn(process.execPath, [...preloads, SUITE, ...args], {
    env: { PATH: process.env.PATH, HOME: tmpdir(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, output }));
  });
}

/** Each scenario has a folder, named after it and the time of its run; a scenario with a slash in its name has one below another. */
function readChecks(results: string): Record<string, Check[]> {
  const checks = filesNamed(results, 'checks.json').map((file) => {
    const folder = relative(results, dirname(file)).split(sep).join('/');
    const scenario = folder.replace(/^server-(?=.*-\d{4}-)/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
    return [scenario, JSON.parse(readFileSync(file, 'utf8')) as Check[]] as const;
  });
  return Object.fromEntries(checks);
}

/** What the program under test wrote to stderr, for the report of a failure. */
function complaints(results: string): string {
  return filesNamed(results, 'stderr.txt')
    .map((file) => readFileSync(file, 'utf8'))
    .join('');
}

function filesNamed(dir: string, name: string): string[] {
  return existsSync(dir) ? filesBelow(dir).filter((file) => basename(file) === name) : [];
}
