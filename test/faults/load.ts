import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { percentile } from './calls.ts';

/** Calls made by a process of its own; see load.mjs. */
export interface Job {
  id: string;
  name: string;
  args?: Record<string, unknown>;
  operation?: 'read' | 'write';
  afterMs?: number;
  count?: number;
  perSecond?: number;
  forMs?: number;
}

export interface Outcome {
  /** HTTP status; 0 where there was no answer at all. */
  status: number;
  /** Of the error; 'ok' where there was none. */
  code: string;
  /** Since the call was due. */
  ms: number;
  /** Since its bytes were handed to the system. */
  waitMs: number;
  retryAfter?: string;
  message?: string;
}

const LOAD = fileURLToPath(new URL('load.mjs', import.meta.url));

/** Runs all jobs side by side, each in a process of its own, so that a burst of one does not hold up another; what became of their calls. */
export async function runLoad(
  { url, key }: { url: string; key: string },
  jobs: readonly Job[],
): Promise<Record<string, Outcome[]>> {
  const all = await Promise.all(jobs.map((job) => runJob(JSON.stringify({ url, key, job }))));
  return Object.fromEntries(jobs.map(({ id }, index) => [id, all[index]!]));
}

async function runJob(spec: string): Promise<Outcome[]> {
  const child = spawn(process.execPath, [LOAD, spec], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`the load ended with ${code}`);
  return JSON.parse(text) as Outcome[];
}

export const countCodes = (outcomes: readonly Outcome[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { code } of outcomes) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
};

export const p99Of = (outcomes: readonly Outcome[], of: 'ms' | 'waitMs' = 'ms'): number =>
  percentile(
    outcomes.map((outcome) => outcome[of]),
    0.99,
  );
