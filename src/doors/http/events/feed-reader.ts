import type { Fact, Facts } from '../../../log/index.ts';
import type { ActivityFeed } from './activity-feed.ts';
import type { Positions } from './event-id.ts';

/** A reader that missed more than this starts over. */
export const MAX_MISSED = 10_000;
const PAGE = 200;

/** Reads every fact after its position once, however far behind it is and whichever proxy wrote it. */
export interface FeedReader {
  /** The last entry of each log that it has seen. */
  readonly positions: Positions;
  seen(fact: Fact): void;
  /** The next facts, each to be confirmed by `seen`; `[]` where there are none now, `'missed'` where there are too many. */
  next(limit: number): Promise<Fact[] | 'missed'>;
  /** Whether nothing waits. */
  isAtEnd(): boolean;
}

export interface FeedReaderParts {
  feed: Pick<ActivityFeed, 'now' | 'from'>;
  facts: Pick<Facts, 'after'>;
  /** Where it resumes; absent: it begins with new facts. */
  positions?: Positions | undefined;
}

export function createFeedReader({ feed, facts, positions: given }: FeedReaderParts): FeedReader {
  const begin = feed.now();
  const positions: Positions = given ?? begin.positions;
  /** Its index in the facts that the feed keeps, while it is within them. */
  let index = given ? undefined : begin.end;
  let missed: { facts: AsyncGenerator<Fact>; until: ReturnType<ActivityFeed['now']> } | undefined;

  /** Skips facts that were read both from the logs and from the feed. */
  const handed = new Map<string, number>();
  function fresh(some: Fact[]): Fact[] {
    return some.filter(({ log, n }) => {
      if (n <= Math.max(handed.get(log) ?? 0, positions.get(log)?.n ?? 0)) return false;
      handed.set(log, n);
      return true;
    });
  }

  function jump({ positions: to, end }: ReturnType<ActivityFeed['now']>): void {
    for (const [log, place] of to) if (place.n > (positions.get(log)?.n ?? 0)) positions.set(log, place);
    index = end;
    missed = undefined;
  }

  return {
    positions,
    seen: ({ log, n, time }) => void positions.set(log, { n, time }),
    isAtEnd: () => index !== undefined && index === feed.now().end,
    async next(limit) {
      for (;;) {
        const kept = index === undefined ? undefined : feed.from(index, limit);
        if (kept) {
          index! += kept.length;
          const news = fresh(kept);
          if (news.length > 0 || kept.length === 0) return news;
          continue;
        }
        index = undefined;
        if (!missed) {
          const until = feed.now();
          if (distance(positions, until.positions) > MAX_MISSED) {
            jump(until);
            return 'missed';
          }
          missed = { facts: readMissed(facts, positions, until.positions), until };
        }
        const some = await take(missed.facts, limit);
        if (some.length > 0) return fresh(some);
        jump(missed.until);
      }
    },
  };
}

function distance(from: Positions, to: Positions): number {
  let sum = 0;
  for (const [log, { n }] of to) sum += Math.max(0, n - (from.get(log)?.n ?? 0));
  return sum;
}

/** The facts of several logs in the order of time, up to the given positions. */
async function* readMissed(
  facts: Pick<Facts, 'after'>,
  from: Positions,
  until: Positions,
): AsyncGenerator<Fact> {
  const logs = [...until].map(([log, { n }]) =>
    pages(facts, { log, n: from.get(log)?.n ?? 0 }, n)[Symbol.asyncIterator](),
  );
  const heads = await Promise.all(logs.map((each) => each.next()));
  for (;;) {
    let oldest = -1;
    for (const [i, head] of heads.entries())
      if (!head.done && (oldest < 0 || head.value.time < (heads[oldest]!.value as Fact).time)) oldest = i;
    if (oldest < 0) return;
    yield heads[oldest]!.value as Fact;
    heads[oldest] = await logs[oldest]!.next();
  }
}

async function* pages(
  facts: Pick<Facts, 'after'>,
  { log, n: from }: { log: string; n: number },
  until: number,
): AsyncGenerator<Fact> {
  let n = from;
  while (n < until) {
    const page = await facts.after({ log, n }, PAGE);
    for (const fact of page) {
      if (fact.n > until) return;
      yield fact;
    }
    if (page.length < PAGE) return;
    n = page.at(-1)!.n;
  }
}

async function take(facts: AsyncGenerator<Fact>, limit: number): Promise<Fact[]> {
  const some: Fact[] = [];
  while (some.length < limit) {
    const { done, value } = await facts.next();
    if (done) break;
    some.push(value);
  }
  return some;
}
