import { Agent, request } from 'node:http';
import { readdirSync, readFileSync } from 'node:fs';
import type { RunningProxy } from '../e2e/start-proxy.ts';

export interface Answer {
  /** HTTP status; 0 where there was no answer at all. */
  status: number;
  /** Of the error; 'ok' where there was none. */
  code: string;
  ms: number;
  text: string;
  retryAfter: string | undefined;
}

export interface CallOptions {
  args?: Record<string, unknown>;
  operation?: 'read' | 'write' | 'destructive';
  agent?: Agent;
  token?: string;
  limitMs?: number;
  /** How long the call itself may take. */
  timeout?: string;
}

const LIMIT_MS = 60_000;
const shared = new Agent({ keepAlive: true, maxSockets: 256 });

/** One call over REST, timed. Never throws: a fault is what is looked at. */
export function callOnce(proxy: RunningProxy, name: string, options: CallOptions = {}): Promise<Answer> {
  const { args = {}, operation = 'read', agent = shared, token = proxy.key, limitMs = LIMIT_MS } = options;
  const { timeout } = options;
  const body = JSON.stringify({
    tool_variant: `call_tool_${operation}`,
    name,
    args,
    intent: { operation_type: operation },
    ...(timeout !== undefined && { timeout }),
  });
  const started = performance.now();
  const ms = () => performance.now() - started;
  return new Promise((resolve) => {
    const lost = (error: Error) =>
      resolve({ status: 0, code: `none: ${error.message}`, ms: ms(), text: '', retryAfter: undefined });
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: `Bearer ${token}`,
    };
    const req = request(`${proxy.url}/api/v1/tools/call`, {
      method: 'POST',
      agent,
      headers,
      timeout: limitMs,
    });
    req.on('timeout', () => req.destroy(new Error('no answer in time')));
    req.on('error', lost);
    req.on('response', (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      res.on('error', lost);
      res.on('end', () => {
        const status = res.statusCode ?? 0;
        resolve({ status, code: codeOf(text), ms: ms(), text, retryAfter: res.headers['retry-after'] });
      });
    });
    req.end(body);
  });
}

function codeOf(text: string): string {
  try {
    return (JSON.parse(text) as { error?: { code: string } }).error?.code ?? 'ok';
  } catch {
    return 'not JSON';
  }
}

export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** How long a good server's calls take, one after the other, for so long. */
export async function timeGood(proxy: RunningProxy, name: string, forMs: number): Promise<number[]> {
  const times: number[] = [];
  for (const end = performance.now() + forMs; performance.now() < end; await pause(10)) {
    const { ms, code } = await callOnce(proxy, name);
    times.push(code === 'ok' ? ms : Infinity);
  }
  return times;
}

/** The longest that a call which does nothing takes on this machine, as busy as it is now. */
export async function usualMs(proxy: RunningProxy, name: string): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 10; n++) times.push((await callOnce(proxy, name)).ms);
  return Math.max(...times);
}

/** Megabytes of memory: now, or the most there ever was. */
export function memoryOf(pid: number, which: 'VmRSS' | 'VmHWM'): number {
  const found = new RegExp(`${which}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(found?.[1] ?? Number.NaN) / 1024);
}

/** File descriptors that a process has open. */
export const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

export function tally(answers: Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code } of answers) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}
