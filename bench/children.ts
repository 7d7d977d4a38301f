import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A part of the bench that runs as a process of its own, compiled beforehand: what tsx adds would be measured with it. */
export function compiled(name: string): string {
  return join(ROOT, 'bench/results/js/bench', `${name}.js`);
}

/** What a part that measures by itself has printed. */
export function outputOf(name: string, args: number[], nodeFlags: string[] = []): string {
  const argv = [...nodeFlags, compiled(name), ...args.map(String)];
  return execFileSync(process.execPath, argv, {
    encoding: 'utf8',
    timeout: 7_200_000,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

export interface Child {
  pid: number;
  process: ChildProcess;
  stop: () => Promise<void>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

/** Starts a Node.js program; what it says goes to a file, so that neither a full pipe nor a terminal slows it down. */
export function startNode(
  args: string[],
  options: { log: string; stdout?: 'pipe'; env?: Record<string, string> },
): Child {
  const log = openSync(options.log, 'a');
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', options.stdout ?? log, log],
    env: { ...process.env, ...options.env },
  });
  closeSync(log);
  running.add(child);
  child.once('exit', () => running.delete(child));
  return { pid: child.pid!, process: child, stop: () => stop(child) };
}

/** Stops the processes that a failed section has left running. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(stop));
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(timer);
}

/** Polls until there is an answer; fails if the program ends first. */
export async function waitFor<T>(
  { name, child, log }: { name: string; child: Child; log: string },
  ask: () => Promise<T | undefined>,
  everyMs = 5,
): Promise<T> {
  const end = Date.now() + 20_000;
  while (Date.now() < end && child.process.exitCode === null) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await sleep(everyMs);
  }
  throw new Error(`${name} did not get ready:\n${readFileSync(log, 'utf8').slice(-2000)}`);
}

export async function isOk(url: string): Promise<true | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2000) });
    await answer.arrayBuffer();
    return answer.status === 200 ? true : undefined;
  } catch {
    return undefined;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
