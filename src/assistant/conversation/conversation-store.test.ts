import { expect, test } from 'vitest';
import { eachEngine } from '../../../test/fixtures/engines.ts';
import { createConversationStore, MAX_CONVERSATIONS, type Lease } from './conversation-store.ts';
import { lockConversation } from './lock-conversation.ts';

const at = '2026-03-01T12:00:00.000Z';
const lease = (holder: string, now = 1000): Lease => ({ holder, now, until: now + 100 });
const message = (id: string) => ({ id, role: 'user' as const, content: id, at });

eachEngine('conversations', ({ shared }) => {
  const db = shared('conversations', 'conversation_messages');
  const store = () => createConversationStore(db().kysely);
  const make = (id: string, userId = 'ann', time = at) =>
    store().create({ id, userId, title: id, at: time }, lease('h'));

  test('one holder at a time; a lock that is too old is taken over, and its holder can write no more', async () => {
    const first = await make('c1');
    expect(await store().lock('c1', 'ann', lease('other'))).toBe('busy');
    expect(await store().lock('c1', 'bob', lease('other'))).toBeUndefined();
    const second = await store().lock('c1', 'ann', lease('other', 1100));
    expect(second).toMatchObject({ id: 'c1', holder: 'other', messages: 0 });
    await expect(store().append(first, message('m1'))).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await store().messages('c1', { limit: 10 })).toEqual([]);
    await store().release(first);
    expect(await store().lock('c1', 'ann', lease('third', 1101))).toBe('busy');
  });

  test('holds of a proxy that was killed are ended at once', async () => {
    const held = await make('c1');
    await store().releaseAll();
    expect(await store().lock('c1', 'ann', lease('other'))).toMatchObject({ holder: 'other' });
    await expect(store().append(held, message('m1'))).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('of many who want it at once, one gets it', async () => {
    const held = await make('c1');
    await store().release(held);
    const got = await Promise.all(
      Array.from({ length: 8 }, (_, i) => store().lock('c1', 'ann', lease(`h${i}`))),
    );
    expect(got.filter((each) => each !== 'busy')).toHaveLength(1);
  });

  test('messages keep their order, their page and what is stored with them', async () => {
    const held = await make('c1');
    for (const id of ['m1', 'm2', 'm3'])
      await store().append(held, { ...message(id), ...(id === 'm2' && { shown: '["t1"]' }) });
    await store().append(held, { ...message('m4'), role: 'assistant', mark: '{}' }, { release: true });
    expect((await store().messages('c1', { limit: 2 })).map(({ id, n }) => [id, n])).toEqual([
      ['m3', 3],
      ['m4', 4],
    ]);
    expect((await store().messages('c1', { limit: 2, before: 3 })).map(({ id }) => id)).toEqual(['m1', 'm2']);
    expect(await store().lastShown('c1')).toBe('["t1"]');
    expect(await store().get('c1', 'ann')).toMatchObject({ messages: 4, busy_by: null, busy_until: null });
    expect(await store().get('c1', 'bob')).toBeUndefined();
  });

  test('a person keeps the conversations that were used last', async () => {
    const rows = Array.from({ length: MAX_CONVERSATIONS }, (_, i) => ({
      id: `old-${String(i).padStart(4, '0')}`,
      user_id: 'ann',
      title: '',
      messages: 1,
      created_at: at,
      updated_at: new Date(Date.parse(at) + i).toISOString(),
      busy_by: null,
      busy_until: null,
    }));
    for (let i = 0; i < rows.length; i += 100)
      await db()
        .kysely.insertInto('conversations')
        .values(rows.slice(i, i + 100))
        .execute();
    await make('of-bob', 'bob');
    await make('new', 'ann', '2026-04-01T00:00:00.000Z');
    const { n } = await db()
      .kysely.selectFrom('conversations')
      .select(({ fn }) => fn.countAll().as('n'))
      .where('user_id', '=', 'ann')
      .executeTakeFirstOrThrow();
    expect(Number(n)).toBe(MAX_CONVERSATIONS);
    expect(await store().get('old-0000', 'ann')).toBeUndefined();
    expect((await store().list('ann', { limit: 2 })).map(({ id }) => id)).toEqual(['new', 'old-0999']);
    expect(await store().get('of-bob', 'bob')).toBeDefined();
  });

  test('a full conversation and one that stays busy say so, kindly', async () => {
    const parts = { store: store(), clock: { now: () => 1000 } };
    const wanted = { id: 'c1', userId: 'ann', title: '', at };
    const held = await make('c1');
    await expect(lockConversation(parts, wanted, AbortSignal.abort())).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/still being answered.*again in a moment/),
    });
    await store().release(held);
    await db().kysely.updateTable('conversations').set({ messages: 9999 }).execute();
    await expect(lockConversation(parts, wanted, AbortSignal.abort())).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/start a new conversation/),
    });
    expect((await store().get('c1', 'ann'))!.busy_by).toBeNull();
  });
});
