import { createHmac } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isObject } from '../../json/index.ts';
import { newId } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';

export const MODERN = '2026-07-28';
const MAX_SERVERS = 1000;
const MAX_BYTES = 1_000_000;

/** How the server was reached last, so that the next connection starts with the same protocol. */
export interface Memory {
  era?: 'legacy' | typeof MODERN | undefined;
  sse?: boolean;
  /** True: it has asked clients for something, so each client gets a connection of its own. False: it has not, in many calls. */
  asks?: boolean;
}

/** Keeps the memory of each server across restarts, by the definition of the server. */
export interface ServerMemory {
  recall(definition: string): Memory;
  keep(definition: string, memory: Memory): void;
}

export interface MemoryFile {
  file: string;
  /** A definition may contain secrets, so the file has only keyed digests. */
  key: string;
  log: Log;
}

/** A file that cannot be read or written costs a slower start, nothing else. */
export function createServerMemory({ file, key, log }: MemoryFile): ServerMemory {
  const nameOf = (definition: string) =>
    createHmac('sha256', key).update(definition).digest('hex').slice(0, 32);
  return {
    recall: (definition) => readMemory(file).get(nameOf(definition)) ?? {},
    keep(definition, { era, sse, asks }) {
      // Another process may have added servers meanwhile.
      const known = readMemory(file);
      const name = nameOf(definition);
      const memory: Memory = {
        ...(era && { era }),
        ...(sse && { sse }),
        ...(asks !== undefined && { asks }),
      };
      if (JSON.stringify(known.get(name)) === JSON.stringify(memory)) return;
      // The newest come last, so that the oldest are dropped.
      known.delete(name);
      known.set(name, memory);
      try {
        writePrivately(file, JSON.stringify(Object.fromEntries([...known].slice(-MAX_SERVERS))));
      } catch (error) {
        log.warn({ err: error, file }, 'the protocol of a server cannot be remembered for the next start');
      }
    },
  };
}

function readMemory(file: string): Map<string, Memory> {
  try {
    const text = readFileSync(file, 'utf8');
    const parsed: unknown = text.length > MAX_BYTES ? {} : JSON.parse(text);
    if (!isObject(parsed)) return new Map();
    return new Map(
      Object.entries(parsed).flatMap(([name, value]) => (isObject(value) ? [[name, memoryOf(value)]] : [])),
    );
  } catch {
    return new Map();
  }
}

function memoryOf({ era, sse, asks }: Record<string, unknown>): Memory {
  return {
    ...((era === 'legacy' || era === MODERN) && { era }),
    ...(sse === true && { sse }),
    ...(typeof asks === 'boolean' && { asks }),
  };
}

function writePrivately(file: string, text: string): void {
  const temporary = `${file}.${newId()}`;
  writeFileSync(temporary, text, { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, file);
}
