import fc, { type Arbitrary } from 'fast-check';
import { test } from 'vitest';
import { ProxyError, type ErrorCode } from '../../src/contract/errors.ts';
import { HANGS_MS, inTime } from './in-time.ts';

/**
 * How many of 10,000 cases each door gets. The suite makes these, the same ones in every run; `npm run fuzz` makes more, and others.
 */
export const SHARES = {
  'mcp: modern messages': 700,
  'mcp: 2025 messages': 700,
  'mcp: bodies that are no message': 1000,
  'mcp: headers': 500,
  'http: bytes that are hardly a request': 200,
  'stdio: lines': 400,
  'rest: what the schemas allow, changed a little': 1000,
  'rest: on PostgreSQL': 300,
  'rest: paths, queries and encodings': 500,
  'rest: settings': 40,
  'rest: servers': 30,
  'log-in: keys, cookies and codes': 300,
  'events: Last-Event-ID': 100,
  'call: what comes through a door': 700,
  'call: sealed states': 200,
  'tokens, ids and cursors': 400,
  'durations, sizes and globs': 300,
  'search: queries': 200,
  'config: files': 400,
  'config: changes written back': 200,
  'command line: arguments': 150,
  'upstream: messages on a pipe': 300,
  'upstream: answers over HTTP': 300,
  'upstream: lists of tools': 200,
  'assistant: messages': 100,
  'checkpoints and sealed exports': 300,
  'text for a terminal': 700,
} as const;
export type Door = keyof typeof SHARES;

const ALL = 10_000;
const wanted = Number(process.env.FUZZ_CASES ?? ALL);
export const SEED = Number(process.env.FUZZ_SEED ?? 20_260_728);
const CASE_MS = 100;

/** Tries a property as often as its door has a share; a failure tells seed, path and the smallest case that fails. */
export function fuzz<T>(door: Door, made: Arbitrary<T>, check: (value: T) => Promise<void> | void): void {
  const numRuns = Math.max(1, Math.ceil((wanted * SHARES[door]) / ALL));
  const property = fc.asyncProperty(made, async (value) => check(value));
  test(
    `${door} (${numRuns} cases)`,
    () =>
      fc.assert(property, {
        numRuns,
        seed: SEED,
        ...(process.env.FUZZ_PATH && { path: process.env.FUZZ_PATH }),
      }),
    HANGS_MS * 3 + numRuns * CASE_MS,
  );
}

const LONGEST_MESSAGE = 2000;

/** Gives what it gives, or refuses in words: with one of these codes, and not with a page of its input. */
export function orRefused<T>(
  codes: readonly ErrorCode[],
  act: () => T,
  longest = LONGEST_MESSAGE,
): T | undefined {
  try {
    return inTime(act);
  } catch (error) {
    if (!(error instanceof ProxyError) || !codes.includes(error.code)) throw error;
    if (error.message.length <= longest) return undefined;
    throw new Error(`a refusal of ${error.message.length} characters`, { cause: error });
  }
}
