import { execFileSync } from 'node:child_process';
import { ROOT } from './children.ts';
import { interval } from './statistics.ts';

/** The geometric mean of the ratios may be this much worse, and the change must be certain: the whole interval lies above 1. */
export const LIMIT = 1.08;

export interface Judgement {
  low: number;
  mean: number;
  high: number;
  isSlower: boolean;
}

/** By the ratios of each cell, round by round. */
export function judge(perCell: number[][]): Judgement {
  const found = interval(perCell);
  return { ...found, isSlower: found.mean > LIMIT && found.low > 1 };
}

/** Work that is always the same, before each request: the guard must notice it. Given to `node --import`. */
export const SLOWDOWN = `data:text/javascript,${encodeURIComponent(`
import http from 'node:http';
import { createHash } from 'node:crypto';
const emit = http.Server.prototype.emit;
const block = Buffer.alloc(512);
http.Server.prototype.emit = function (event, ...rest) {
  if (event === 'request') for (let i = 0; i < 80; i++) createHash('sha256').update(block).digest();
  return emit.call(this, event, ...rest);
};`)}`;

/** Where the code of a call is. */
const HOT = [
  'road',
  'log',
  'upstream',
  'doors/mcp',
  'doors/http',
  'json',
  'load',
  'lib',
  'catalog',
  'db',
].map((folder) => `src/${folder}`);

/** The commits that the page of performance names: of the last run, and what it was compared with. */
export function namedCommits(page: string): { now: string; base: string } | undefined {
  const [, now, base] = /of commit ([0-9a-f]{7,40}) against ([0-9a-f]{7,40})/.exec(page) ?? [];
  return now === undefined || base === undefined ? undefined : { now, base };
}

/** The changes of the code of a call since a commit, newest first. Undefined where the history is not here. */
export function changesSince(commit: string): string[] | undefined {
  const [range, files] = [`${commit}..HEAD`, [...HOT, ':!*.test.ts']];
  try {
    const lines = git('log', '--no-merges', '--format=%h %s', range, '--', ...files);
    return lines === '' ? [] : lines.split('\n');
  } catch {
    return undefined;
  }
}

export const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
