import type { Attack, Tally } from '../attacks/attack.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { callOnce, percentile } from './calls.ts';
import { countCodes, p99Of, runLoad, type Job, type Outcome } from './load.ts';

const CALLS = 200;
const PER_SECOND = 50;
const ADDED_MS = 50;
/** On a busy machine everything is slower, and 50 ms are within the noise. */
const ADDED_SHARE = 0.2;

/**
 * Two ways to look at it. Long: 200 calls to a server that hangs in five minutes of calls to a good one, against minutes without. Quick:
 * rounds of seconds, in which the arrival of 200 calls shows in any p99, whoever they are for; so the same burst goes to a server that
 * answers and to one that hangs, in turns.
 */
interface Rounds {
  count: number;
  againstMs: number;
  besideMs: number;
  limitMs: number;
}
const QUICK: Rounds = { count: 2, againstMs: 2_500, besideMs: 2_500, limitMs: 1_500 };
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
    const against: Outcome[] = [];
    const beside: Outcome[] = [];
    const hanging: Outcome[] = [];
    try {
      await runLoad(proxy, [{ id: 'warm', name: 'calm:read_only', count: 2 * CALLS }]);
      const calm = burst('calm:slow', { ms: rounds.limitMs - 500 });
      for (const name of names) {
        const alone = [steady(rounds.againstMs), ...(scale === 'full' ? [] : [calm])];
        against.push(...(await runLoad(proxy, alone)).good!);
        const both = await runLoad(proxy, [steady(rounds.besideMs), burst(`${name}:never`)]);
        beside.push(...both.good!);
        hanging.push(...both.burst!);
        tally.held((await breakerOf(proxy, name)) !== 'closed', `the breaker of ${name} is closed`);
      }
      if (scale === 'full') against.push(...(await runLoad(proxy, [steady(rounds.againstMs)])).good!);
      judgeGood(against, beside, tally);
      judgeHanging(hanging, rounds.limitMs, tally);
      await judgeProbe(proxy, names[0]!, tally);
      tally.figure(JSON.stringify(countCodes(hanging)));
    } finally {
      await proxy.dispose();
    }
  },
};

function judgeGood(against: Outcome[], beside: Outcome[], tally: Tally): void {
  const [before, during] = [p99Of(against), p99Of(beside)];
  const failed = [...against, ...beside].filter(({ code }) => code !== 'ok').length;
  tally.held(failed === 0, `${failed} calls of the good server failed`);
  const most = Math.max(ADDED_MS, ADDED_SHARE * before);
  tally.held(during - before < most, `good p99 ${before} ms without, ${during} ms beside it`);
  const [was, is] = [against, beside].map((all) =>
    percentile(
      all.map(({ ms }) => ms),
      0.5,
    ).toFixed(1),
  );
  tally.figure(
    `good p99 ${before.toFixed(0)} → ${during.toFixed(0)} ms, p50 ${was} → ${is} ms (${against.length} and ${beside.length} calls)`,
  );
}

function judgeHanging(hanging: Outcome[], limitMs: number, tally: Tally): void {
  const late = hanging.filter(({ code }) => code === 'UPSTREAM_TIMEOUT');
  const longest = Math.max(...late.map(({ ms }) => ms));
  tally.held(late.length > 0 && longest < limitMs + 1_500, `a hanging call ended after ${longest} ms`);
  const unnamed = hanging.filter(({ message }) => !/'bad\d'/.test(message ?? '')).length;
  tally.held(unnamed === 0, `${unnamed} errors do not name the server`);
  const unlimited = late.filter(({ message }) => !message?.includes(`${limitMs} ms`)).length;
  tally.held(unlimited === 0, `${unlimited} errors do not name the limit`);
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
