import { ServerConfig } from '../config.ts';

export type Key = keyof ServerConfig;
export type Entry = Record<string, unknown>;

/** An entry with our own setting names, not yet validated. */
export interface EntryDraft {
  settings: Map<Key, unknown>;
  problems: Array<{ path: string[]; message: string }>;
  warnings: string[];
}

/** What the file around an entry tells about it. */
export interface EntryOrigin {
  /** The unit of `timeout` as a number in this client; absent: told by its size. */
  timeoutUnit?: 's' | 'ms';
  /** True: `timeout` limits the start of the server, not a call. */
  timeoutIsStart?: boolean;
}

export const KEYS = Object.keys(ServerConfig.shape) as Key[];

export function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Some clients write null for settings that are not set. */
export function withoutNulls(entry: Entry): Entry {
  return Object.fromEntries(
    Object.entries(entry).filter(([, value]) => value !== undefined && value !== null),
  );
}
