import type { Attack, Tally } from '../attacks/attack.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { callOnce } from './calls.ts';
import { countCodes, p99Of, runLoad, type Job, type Outcome } from './load.ts';

const CALLS = 200;
const PER_SECOND = 50;
const ADDED_MS = 50;
/** On a busy machine everything is slower, and 50 ms are within the noise. */
const ADDED_SHARE = 0.2;

/**
 * Two ways to look at it. Long: 200 calls to a server that hangs in five minutes of calls to a good one, against minutes without. Quick:
 * rounds of seconds, in which the arrival of 200 calls shows in any p99, whichever server they go to; so the same burst goes to a server that
 * answers and to one that hangs, in turns.
 */
interface Rounds {
  count: number;
  againstMs: number;
  besideMs: number;
  limitMs: number;
}
const QUICK: Rounds = { count: 3, againstMs: 2_500, besideMs: 2_500, limitMs: 1_500 };
const FULL: Rounds = { count: 1, againstMs: 60_000, besideMs: 300_000, limitMs: 25_000 };

const steady = (forMs: number): Job => ({ id: 'good', name: 'good:read_only', perSecond: PER_SECOND, forMs });
const burst = (name: string, args = {}): Job => ({ id: 'burst', name, args, count: CALLS, afterMs: 200 });
const breakerOf = async (proxy: RunningProxy, name: string) =>
  (await proxy.rest.request('getServer', { name })).breaker;

export const hung: Attack = {
  threat: 'F08',
  title: 'a server that never answers beside a good one',
  async run(tally, scale) {
    const rounds = scale === 'full' ? FULL : QUICK;
    const names = Array.from({ length: rounds.count }, (_, n) => `bad${n}`);
    const common = { timeout: `${rounds.limitMs}ms`, concurrency: CALLS };
    const bad = { ...fixture('misbehaving.mjs'), ...common };
    const good = fixture('annotated.mjs');
    const servers = { good, calm: { ...good, ...common }, ...Object.fromEntries(names.map((n) => [n, bad])) };
    const proxy = await startProxy({ config: { mcpServers: servers } });
    const pairs: Pair[] = [];
    const hanging: Outcome[] = [];
    try {
      await runLoad(proxy, [{ id: 'warm', name: 'calm:read_only', count: 2 * CALLS }]);
      const calm = burst('calm:slow', { ms: rounds.limitMs - 500 });
      for (const name of names) {
        const alone = [steady(rounds.againstMs), ...(scale === 'full' ? [] : [calm])];
        const { good: against } = await runLoad(proxy, alone);
        const both = await runLoad(proxy, [steady(rounds.besideMs), burst(`${name}:never`)]);
        const { good: after } = scale === 'full' ? await runLoad(proxy, alone) : { good: [] };
        pairs.push({ against: [...against!, ...after!], beside: both.good! });
        hanging.push(...both.burst!);
        tally.held((await breakerOf(proxy, name)) !== 'closed', `the breaker of ${name} is closed`);
      }
      judgeGood(pairs, tally);
      judgeHanging(hanging, tally);
      judgeTimes(await timeOuts(proxy, names), rounds.limitMs, tally);
      await judgeProbe(proxy, names[0]!, tally);
      tally.figure(JSON.stringify(countCodes(hanging)));
    } finally {
      await proxy.dispose();
    }
  },
};

interface Pair {
  against: Outcome[];
  beside: Outcome[];
}

/** The middle one of the rounds counts: on a busy machine any of them may be hit by something else. */
function judgeGood(pairs: Pair[], tally: Tally): void {
  const all = pairs.flatMap(({ against, beside }) => [...against, ...beside]);
  const { ok, ...failed } = countCodes(all);
  tally.held(ok === all.length, `of ${all.length} calls of the good server failed ${JSON.stringify(failed)}`);
  const rounds = pairs.map(({ against, beside }) => ({ before: p99Of(against), during: p99Of(beside) }));
  const sorted = rounds.toSorted((a, b) => a.during - a.before - (b.during - b.before));
  const { before, during } = sorted[Math.floor(sorted.length / 2)]!;
  const most = Math.max(ADDED_MS, ADDED_SHARE * before);
  tally.held(during - before < most, `good p99 ${before} ms without, ${during} ms beside it`);
  const shown = rounds.map(({ before: was, during: is }) => `${was.toFixed(0)} → ${is.toFixed(0)} ms`);
  tally.figure(`good p99 ${shown.join(', ')} (${all.length} calls)`);
}

function judgeHanging(hanging: Outcome[], tally: Tally): void {
  const late = hanging.filter(({ code }) => code === 'UPSTREAM_TIMEOUT');
  tally.held(late.length > 0, 'nothing hung');
  const unnamed = hanging.filter(({ message }) => !/'bad\d'/.test(message ?? '')).length;
  tally.held(unnamed === 0, `${unnamed} errors do not name the server`);
  const unlimited = late.filter(({ message }) => !/within \d+ ms/.test(message ?? '')).length;
  tally.held(unlimited === 0, `${unlimited} errors do not name the limit`);
}

/** By the records: a caller's own clock also counts how long it took to be heard. */
async function timeOuts(proxy: RunningProxy, names: string[]): Promise<number[]> {
  const times: number[] = [];
  for (const server of names) {
    const { records } = await proxy.rest.request('listActivity', { server, limit: 100 });
    for (const { error_code: code, duration_ms: ms } of records)
      if (code === 'UPSTREAM_TIMEOUT') times.push(ms ?? Infinity);
  }
  return times;
}

function judgeTimes(times: number[], limitMs: number, tally: Tally): void {
  const [shortest, longest] = [Math.min(...times), Math.max(...times)];
  const inTime = shortest > limitMs - 1_000 && longest < limitMs + 1_000;
  tally.held(times.length > 0 && inTime, `hanging calls ended after ${shortest} to ${longest} ms`);
}

async function judgeProbe(proxy: RunningProxy, name: string, tally: Tally): Promise<void> {
  await poll(
    'the pause to end',
    proxy.stderr,
    async () => (await breakerOf(proxy, name)) === 'half_open' || undefined,
  );
  const probes = await Promise.all(Array.from({ length: 20 }, () => callOnce(proxy, `${name}:never`)));
  const sent = probes.filter(({ code }) => code === 'UPSTREAM_TIMEOUT').length;
  tally.held(sent === 1, `${sent} probes at once`);
}
