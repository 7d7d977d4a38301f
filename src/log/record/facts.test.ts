import { afterEach, beforeEach, expect, test } from 'vitest';
import { draft, eachLog, type TestLog } from '../../../test/fixtures/activity-log.ts';
import { findFacts } from './facts.ts';

let log: TestLog;

eachLog('facts', (open) => {
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.remove());

  test('tell what was added after a position, in order, without those of the chain itself', async () => {
    const [start] = await log.activity.facts.heads();
    let grown = 0;
    log.activity.facts.onGrown(() => grown++);
    const slow = log.activity.open(draft());
    await slow.durable();
    const quick = log.activity.open(draft());
    await quick.close({ status: 'refused' });
    await log.activity.checkpoint();
    await slow.close({ status: 'success' });

    const facts = await log.activity.facts.after(start!, 10);
    expect(facts.map(({ kind, id, status }) => [kind, id, status])).toEqual([
      ['opened', slow.id, 'pending'],
      ['closed', quick.id, 'refused'],
      ['closed', slow.id, 'success'],
    ]);
    expect(facts[0]).toMatchObject({ log: start!.log, type: 'tool_call', time: log.clock.time });
    expect(await log.activity.facts.after(facts[0]!, 1)).toEqual([facts[1]]);
    const [end] = await log.activity.facts.heads();
    expect([end!.first, end!.n > start!.n, end!.time]).toEqual([1, true, log.clock.time]);
    await expect.poll(() => grown).toBeGreaterThan(0);
    expect(await log.activity.facts.after(end!, 10)).toEqual([]);
    expect(await log.activity.facts.after({ log: 'nobody', n: 0 }, 10)).toEqual([]);
  });

  test('of one record are found among many, also where it was closed much later', async () => {
    const slow = log.activity.open(draft());
    await slow.durable();
    const opened = log.clock.time;
    for (let i = 0; i < 700; i++) {
      log.clock.time += i % 7;
      void log.activity.open(draft()).close({ status: 'success' });
      if (i % 50 === 0) await log.activity.checkpoint();
    }
    await slow.close({ status: 'success' });
    const found = await findFacts(log.activity.facts, { id: slow.id, opened, closed: log.clock.time });
    expect(found.map(({ kind }) => kind)).toEqual(['opened', 'closed']);
    expect(found[1]!.n - found[0]!.n).toBeGreaterThan(700);
    expect(await findFacts(log.activity.facts, { id: 'nobody', opened })).toEqual([]);
  });
});
