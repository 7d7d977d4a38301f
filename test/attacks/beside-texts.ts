import { exchange, modern } from '../e2e/raw-token.ts';
import { poll, type RunningProxy } from '../e2e/start-proxy.ts';
import { percentile } from '../faults/calls.ts';
import type { Scale, Tally } from './attack.ts';
import { p99, timesOf, turnsSince, under, withSink, type Sent, type Volley } from './long-texts.ts';

interface Sizes {
  perSecond: number;
  /** How long texts come, in each round and for each length. */
  forMs: number;
  rounds: number;
  /** In CPU time: what the longest turn of the event loop may take. */
  turnMs: number;
}
const SIZES: Record<Scale, Sizes> = {
  // CPU time does not depend on what else the machine does.
  quick: { perSecond: 10, forMs: 1000, rounds: 1, turnMs: 150 },
  full: { perSecond: 50, forMs: 5000, rounds: 3, turnMs: 100 },
};
export const LENGTHS: Record<Scale, readonly number[]> = { quick: [2_000_000], full: [200_000, 2_000_000] };
/** What long texts may add to the time of calls of another server. */
const MOST_ADDED_MS = 20;
/** What long texts are made of: as asked for, and those that escapes and several bytes make longer. */
const TEXTS = ['-', 'a', 'A1', 'a.', 'aGk0', 'curl -u ', 'secret', '"', '\n', '中'];
/** The process that takes the times starts while the texts come. */
const LEAD_MS = 500;

export interface Round {
  quiet: number[];
  during: number[];
  /** While the machine is as busy, but not the program. */
  control: number[];
  sent: Sent[];
}

/** Long texts to every place where a text is looked at, and long answers, while somebody else goes on working. */
export async function beside(
  proxy: RunningProxy,
  tally: Tally,
  { scale, turns }: { scale: Scale; turns: string },
): Promise<void> {
  const { perSecond, forMs, rounds, turnMs } = SIZES[scale];
  const isFull = scale === 'full';
  // Warm-up: loading and compiling at the first call must not count against the texts.
  const warm = { pieces: TEXTS, characters: 20_000, perSecond: 60, forMs: isFull ? 5000 : 500 };
  await under(proxy, warm, () => Promise.resolve());
  for (const characters of LENGTHS[scale]) {
    const texts: Volley = { pieces: TEXTS, characters, perSecond, forMs };
    const began = Date.now();
    const shown = `of ${characters.toLocaleString('en-US')} characters`;
    // Short requests with long answers: only the requesting clients may have to wait.
    const floods: Array<[string, Volley]> = [
      [`texts ${shown}`, texts],
      [`answers ${shown}`, { ...texts, pieces: [] }],
    ];
    for (const [what, volley] of isFull ? floods : []) {
      const all: Round[] = [];
      for (let n = 0; n < rounds; n++) all.push(await fullRound(proxy, volley));
      judge(tally, what, all);
    }
    await honest(proxy, tally, { ...texts, forMs: Math.min(forMs, HONEST_MS) });
    const [longest = 0] = turnsSince(turns, began);
    tally.held(longest < turnMs, `a turn of the event loop took ${longest.toFixed(0)} ms of CPU time`);
    tally.figure(`longest turn ${longest.toFixed(0)} ms CPU`);
  }
}

/** In turns on the same machine: nothing else, long texts to the program, and the same texts to somebody else. */
async function fullRound(proxy: RunningProxy, volley: Volley): Promise<Round> {
  const { forMs } = volley;
  const longer = { ...volley, forMs: forMs + LEAD_MS };
  const quiet = await timesOf(proxy, forMs);
  const { sent, result: during } = await under(proxy, longer, () => timesOf(proxy, forMs));
  const { result: control } = await withSink((url) =>
    under({ url, key: 'none' }, longer, () => timesOf(proxy, forMs)),
  );
  return { quiet, during, control, sent };
}

const HONEST_MS = 1500;
/** Told after so long that there is no room: that was a whole wait. Who is pushed out by others hears it at once. */
const WAITED_MS = 4_500;
/** Where a text takes as long as this with nobody beside, a whole wait is no sign of anything. */
const SLOW_MACHINE_MS = 500;

/** A client that sends a long text now and then is served, whatever others send meanwhile. */
async function honest(proxy: RunningProxy, tally: Tally, volley: Volley): Promise<void> {
  const { characters, forMs } = volley;
  const send = await somebody(proxy, characters);
  const began = Date.now();
  const { ms: alone } = await send();
  const patient = async () => {
    for (let left = alone > SLOW_MACHINE_MS ? 3 : 0; ; left--) {
      const { status, ms } = await send();
      if (left <= 0 || status !== 429 || ms < WAITED_MS) return status;
    }
  };
  const { sent, result: heard } = await under(proxy, volley, async () => {
    const twice = async () => [await patient(), await patient()];
    const [times, statuses] = await Promise.all([timesOf(proxy, forMs), twice()]);
    tally.held(times.every(Number.isFinite), 'calls of another server failed');
    return statuses;
  });
  for (const status of heard)
    tally.held(status === 200, `somebody else's text of ${characters} characters: ${status}`);
  notBroken(tally, sent);
  await allCounted(proxy, tally, { sent, began });
  tally.figure(`${told(sent, 'texts')}; none of somebody else's`);
}

/** Who was told to come again is in the log, to the last one. */
async function allCounted(
  proxy: RunningProxy,
  tally: Tally,
  { sent, began }: { sent: readonly Sent[]; began: number },
): Promise<void> {
  const refused = sent.filter(isRefused).length;
  const counted = await poll('the refusals in the log', proxy.stderr, async () => {
    const { records } = await proxy.rest.request('listActivity', { type: 'bad_request', limit: 100 });
    const own = records.filter(({ metadata }) => Date.parse(String(metadata.since)) >= began);
    const ofFlood = own.filter(({ metadata }) => metadata.principal === 'operator');
    const sum = ofFlood.reduce((total, { metadata }) => total + Number(metadata.turned_away), 0);
    return sum >= refused ? sum : undefined;
  }).catch(() => -1);
  tally.held(counted === refused, `${refused} were told to come again, ${counted} are in the log`);
}

const isRefused = ({ status }: Sent) => status === 429;

type Send = () => Promise<{ status: number; ms: number }>;

async function somebody({ url, rest }: RunningProxy, characters: number): Promise<Send> {
  const name = `honest-${Math.random().toString(36).slice(2, 8)}`;
  const { token } = await rest.request('createToken', { body: { name } });
  const args = { text: 'a. '.repeat(characters / 3) };
  const call = { name: 'up:read_only', intent_operation_type: 'read', args };
  const { headers, body } = modern('tools/call', { name: 'call_tool_read', arguments: call });
  return async () => {
    const began = performance.now();
    const status = await exchange(url, { token, headers, body }).status.catch(() => 0);
    return { status, ms: performance.now() - began };
  };
}

function notBroken(tally: Tally, sent: readonly Sent[]): void {
  tally.held(!sent.some(({ status }) => status >= 500), 'something broke inside');
}

const told = (sent: readonly Sent[], what: string) =>
  `${sent.length} ${what}, ${sent.filter(isRefused).length} told to come again`;

/** Says what was added, and whether that is too much. */
export function judge(tally: Tally, what: string, rounds: readonly Round[]): void {
  const sent = rounds.flatMap((each) => each.sent);
  const during = rounds.flatMap((each) => each.during);
  tally.held(during.every(Number.isFinite), 'calls of another server failed');
  notBroken(tally, sent);
  // The median of the rounds, each against its own quiet: what else runs on the machine does not come in all of them alike.
  const added = (times: 'during' | 'control') =>
    percentile(
      rounds.map((each) => p99(each[times]) - p99(each.quiet)),
      0.5,
    );
  const [texts, machine] = [added('during'), added('control')];
  const alone = p99(rounds.flatMap((each) => each.quiet));
  tally.figure(
    `${told(sent, what)}: p99 of another server ${alone.toFixed(1)} ms alone, added ${texts.toFixed(1)} ms; by a neighbour that is as busy ${machine.toFixed(1)} ms`,
  );
  if (machine >= MOST_ADDED_MS && texts >= MOST_ADDED_MS)
    return tally.notHere(`the machine is too busy to tell: a neighbour alone adds ${machine.toFixed(1)} ms`);
  tally.held(
    texts < MOST_ADDED_MS,
    `${sent.length} ${what} add ${texts.toFixed(1)} ms to the p99 of another server`,
  );
}
