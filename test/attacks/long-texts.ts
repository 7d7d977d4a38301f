import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { RunningProxy } from '../e2e/start-proxy.ts';
import { percentile } from '../faults/calls.ts';
import { runLoad } from '../faults/load.ts';

const program = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export interface Volley {
  pieces: readonly string[];
  characters: number;
  perSecond: number;
  forMs: number;
}

export interface Sent {
  status: number;
  ms: number;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;
const started = (name: string, ...args: string[]): Child =>
  spawn(process.execPath, [program(name), ...args], { stdio: ['pipe', 'pipe', 'inherit'] });

/** Long texts to a place, from a process of its own; what is done meanwhile begins when the texts do. */
export async function under<T>(
  { url, key }: { url: string; key: string },
  volley: Volley,
  meanwhile: () => Promise<T>,
): Promise<{ sent: Sent[]; result: T }> {
  const load = started('text-load.mjs', JSON.stringify({ url, key, ...volley }));
  const lines = linesOf(load);
  await lines(1);
  load.stdin.write('go\n');
  const result = await meanwhile();
  const [, sent] = await lines(2);
  return { sent: JSON.parse(sent!) as Sent[], result };
}

/** Something that is as busy with the same texts as the program would be. */
export async function withSink<T>(act: (url: string) => Promise<T>): Promise<T> {
  const sink = started('text-sink.mjs');
  try {
    const [port] = await linesOf(sink)(1);
    return await act(`http://127.0.0.1:${port}`);
  } finally {
    const gone = once(sink, 'exit');
    sink.kill();
    await gone;
  }
}

/** Waits for so many lines; all that have come. */
function linesOf(child: Child): (count: number) => Promise<string[]> {
  let text = '';
  let tell = () => {};
  let isClosed = false;
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    tell();
  });
  child.once('close', () => {
    isClosed = true;
    tell();
  });
  return async (count) => {
    for (;;) {
      const lines = text.split('\n');
      if (lines.length > count) return lines;
      if (isClosed) throw new Error(`it ended with ${child.exitCode}`);
      await new Promise<void>((resolve) => (tell = resolve));
    }
  };
}

/** How long calls of another server take, at a steady pace, counted from when each was due. */
export async function timesOf(proxy: RunningProxy, forMs: number): Promise<number[]> {
  const job = { id: 'other', name: 'other:read_only', perSecond: 50, forMs };
  const { other } = await runLoad(proxy, [job]);
  return other!.map(({ code, ms }) => (code === 'ok' ? ms : Infinity));
}

export const p99 = (values: number[]): number => percentile(values, 0.99);

/** Environment of a program that writes down how much CPU time the turns of its event loop take. */
export const watched = (file: string): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import ${program('loop-turns.mjs')}`,
  LOOP_TURNS: file,
});

/** The longest turns since a moment, in milliseconds of CPU time, longest first: one for each tenth of a second. */
export function turnsSince(file: string, from: number): number[] {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { at: number; longest: number })
    .filter(({ at }) => at >= from)
    .map(({ longest }) => longest)
    .toSorted((a, b) => b - a);
}
