import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../../../../test/fixtures/cases.ts';
import { createFactLog } from '../../../../test/fixtures/fact-log.ts';
import { silent } from '../../../../test/fixtures/http-server.ts';
import { createActivityFeed } from './activity-feed.ts';
import { eventId, parseEventId, resumePositions } from './event-id.ts';
import { createFeedReader, type FeedReader } from './feed-reader.ts';

const LOGS = ['A', 'B', 'C'];
const step = fc.oneof(
  fc.record({
    do: fc.constant('add' as const),
    log: fc.constantFrom(...LOGS),
    count: fc.integer({ min: 1, max: 9 }),
  }),
  // More than the feed keeps, so that what was missed is read from the logs.
  fc.record({ do: fc.constant('add' as const), log: fc.constantFrom(...LOGS), count: fc.constant(2100) }),
  fc.record({ do: fc.constant('seal' as const), log: fc.constantFrom(...LOGS) }),
  fc.record({ do: fc.constant('read' as const), count: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ do: fc.constant('move' as const), proxy: fc.constantFrom(0, 1) }),
);

test('whatever is written by whom, and wherever a reader reconnects, it sees everything once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const facts = createFactLog();
      for (const log of LOGS) facts.add({ id: 'before', log });
      const feeds = [0, 1].map(() => createActivityFeed({ facts, log: silent }));
      for (const feed of feeds) await feed.join();
      let reader: FeedReader = createFeedReader({ feed: feeds[0]!, facts });
      const [written, seen]: [string[], string[]] = [[], []];
      let last = idOf(reader);

      async function read(count: number): Promise<number> {
        const some = await reader.next(count);
        if (some === 'missed') throw new Error('too far behind');
        for (const fact of some) {
          reader.seen(fact);
          seen.push(fact.id);
          last = idOf(reader);
        }
        return some.length;
      }

      function add(log: string, count: number): void {
        if (written.length + count >= 9500) return;
        for (let i = 0; i < count; i++) {
          written.push(`${log}${written.length}`);
          facts.add({ id: written.at(-1)!, log });
        }
      }

      async function reconnect(proxy: number): Promise<void> {
        const positions = await resumePositions(parseEventId(last)!, await facts.heads(), facts);
        reader = createFeedReader({ feed: feeds[proxy]!, facts, positions });
      }

      for (const each of steps) {
        if (each.do === 'add') add(each.log, each.count);
        else if (each.do === 'seal') facts.seal(each.log);
        else if (each.do === 'read') await read(each.count);
        else if (each.do === 'move') await reconnect(each.proxy);
      }
      await new Promise((resolve) => setTimeout(resolve, 1)); // lets the feeds catch up
      for (let quiet = 0; quiet < 3;) quiet = (await read(500)) === 0 ? quiet + 1 : 0;
      for (const log of LOGS)
        expect(seen.filter((id) => id.startsWith(log))).toEqual(written.filter((id) => id.startsWith(log)));
      for (const feed of feeds) feed.leave();
    }),
    { numRuns: cases(100) },
  );
});

function idOf({ positions }: FeedReader): string {
  return eventId(positions, { time: Date.now(), run: 'r', number: 0 });
}
