import { basename } from 'node:path';
import { systemCalls, type SystemCall } from '../../scripts/trace-order.ts';

/** What became of a file, or what somebody outside was told, in the order of system calls. */
export type DiskEvent =
  | { kind: 'write'; file: string; start: number; end: number; data: Buffer; at: number | 'end' }
  | { kind: 'truncate'; file: string; start: number; end: number; size: number }
  | { kind: 'sync'; file: string; start: number; end: number }
  /** The first bytes of an answer leave. */
  | { kind: 'answer'; start: number; nonce: string }
  /** A call is on its way to the server. */
  | { kind: 'dispatch'; start: number; nonce: string };

const NONCE = /nonce-[0-9a-f]{8}/g;
const WRITES = new Set(['write', 'pwrite64', 'writev', 'sendto', 'sendmsg']);

/** Of a trace by strace -f -ttt -T -yy -xx; with -xx all texts are in hexadecimal, paths too. */
export function* diskEvents(trace: string, dir: string): Generator<DiskEvent> {
  const seen = new Set<string>();
  for (const call of systemCalls(trace)) {
    const path = decode(call.path).toString();
    if (path.startsWith(`${dir}/`)) yield* ofFile(call, basename(path));
    else if (WRITES.has(call.name)) {
      const kind = path.startsWith('TCP') ? 'answer' : /^(UNIX|pipe)/.test(path) ? 'dispatch' : undefined;
      if (!kind) continue;
      for (const [nonce] of decode(call.text).toString('latin1').matchAll(NONCE)) {
        if (seen.has(kind + nonce)) continue;
        seen.add(kind + nonce);
        yield { kind, start: call.start, nonce };
      }
    }
  }
}

function* ofFile(call: SystemCall, file: string): Generator<DiskEvent> {
  const { name, start, end, ok } = call;
  if (name === 'fsync' || name === 'fdatasync') {
    if (ok) yield { kind: 'sync', file, start, end };
  } else if (name === 'ftruncate') {
    const size = Number(/>, (\d+)/.exec(call.text)?.[1]);
    yield { kind: 'truncate', file, start, end, size };
  } else if (name === 'pwrite64' || name === 'write') {
    const [, text, length, offset] = /, "((?:\\x[0-9a-f]{2})*)", (\d+)(?:, (\d+))?/.exec(call.text) ?? [];
    const data = decode(text ?? '');
    if (data.length !== Number(length)) throw new Error(`the trace cuts what was written to ${file}`);
    yield { kind: 'write', file, start, end, data, at: offset === undefined ? 'end' : Number(offset) };
  } else throw new Error(`${name} of ${file} is not understood`);
}

/** Takes the hexadecimal bytes of a text of strace; what stands around them is left out. */
function decode(text: string): Buffer {
  if (!text.includes('\\x')) return Buffer.from(text, 'latin1');
  return Buffer.concat(
    [...text.matchAll(/(?:\\x[0-9a-f]{2})+/g)].map(([run]) => Buffer.from(run.replaceAll('\\x', ''), 'hex')),
  );
}
