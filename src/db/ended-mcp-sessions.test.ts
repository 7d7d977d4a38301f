import { expect, test } from 'vitest';
import { eachEngine } from '../../test/fixtures/engines.ts';
import { createEndedMcpSessions } from './ended-mcp-sessions.ts';

const LIFE = 1_000_000;

eachEngine('ended MCP sessions', ({ shared }) => {
  const db = shared('ended_sessions');
  let now = 10_000;
  const store = (maxStored?: number) =>
    createEndedMcpSessions({
      db: db(),
      clock: { now: () => now },
      lifeMs: LIFE,
      ...(maxStored && { maxStored }),
    });
  const session = (id: string, issuedMs: number, owner = 'ann') => ({ owner, id, issuedMs });
  const rows = async () =>
    (await db().kysely.selectFrom('ended_sessions').select(['owner', 'id']).execute()).map(
      ({ owner, id }) => `${owner}/${id}`,
    );

  test('an end is found by every proxy on the database, and concerns this session of this owner alone', async () => {
    await store().add(session('a', 1));
    await store().add(session('a', 1));
    expect(await store().has(session('a', 1))).toBe(true);
    expect(await store().has(session('b', 1))).toBe(false);
    expect(await store().has(session('a', 1, 'bob'))).toBe(false);
  });

  test('of too many, the oldest of this owner are ended together: none comes back', async () => {
    const ended = store(3);
    await ended.add(session('x', 1, 'bob'));
    for (let i = 1; i <= 100; i++) await ended.add(session(`s${i}`, i));
    expect(await rows()).toHaveLength(5);
    for (const i of [1, 50, 97, 98, 100]) expect(await ended.has(session(`s${i}`, i)), `${i}`).toBe(true);
    // A session that nobody ended is as old as some that are no longer listed: it counts as ended.
    expect(await ended.has(session('other', 50))).toBe(true);
    expect(await ended.has(session('other', 99))).toBe(false);
    expect(await ended.has(session('other', 1, 'bob'))).toBe(false);
  });

  test('what is too old to be restored is forgotten', async () => {
    await store().add(session('old', now));
    now += LIFE + 1;
    await store().add(session('new', now));
    expect(await rows()).toEqual(['ann/new']);
  });
});
