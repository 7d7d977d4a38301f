import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAssistantProxy, type AssistantProxy, type Person } from '../fixtures/assistant-proxy.ts';
import { newPostgres } from '../fixtures/engines.ts';

// Two proxies on one PostgreSQL: any of them takes the next message, and nothing of one person reaches another.
let a: AssistantProxy;
let b: AssistantProxy;
let database: Awaited<ReturnType<typeof newPostgres>>;
beforeAll(async () => {
  database = await newPostgres();
  const database_url = database.url;
  const time = { now: Date.parse('2026-03-01T12:00:00.000Z') };
  a = await startAssistantProxy({ database_url }, time);
  b = await startAssistantProxy({ database_url }, time);
});
afterAll(async () => {
  await a?.stop();
  await b?.stop();
  await database?.remove();
});

/** The same person at both proxies. */
async function person(user: string): Promise<[Person, Person]> {
  const there = await a.person(user);
  const here = b.with(there.key);
  await expect
    .poll(() =>
      here.rest.request('listConversations', {}).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  return [there, here];
}

test('two people, two conversations, interleaved on two proxies: nothing crosses', async () => {
  const people = { ann: await person('ann'), bob: await person('bob') };
  const conversations: Partial<Record<keyof typeof people, string>> = {};
  let turn = 0;
  const say = async (who: keyof typeof people, message: string) => {
    const answer = await people[who][turn++ % 2]!.say(message, conversations[who]);
    conversations[who] ??= answer.conversation_id;
    return answer;
  };
  for (const n of [1, 2, 3]) {
    await Promise.all([
      say('ann', `add buy apples ${n} for ann`),
      say('bob', `add buy berries ${n} for bob`),
    ]);
  }
  const [anns, bobs] = await Promise.all([say('ann', 'show my tasks'), say('bob', 'show my tasks')]);
  expect(anns.reply).toMatch(/1\. buy apples 1 for ann\n2\. buy apples 2 for ann\n3\. buy apples 3 for ann/);
  expect(anns.reply).not.toMatch(/bob/);
  expect(bobs.reply).not.toMatch(/ann/);

  // Both have a question open; each yes and no finds its own, on the other proxy.
  const [askedAnn, askedBob] = await Promise.all([
    say('ann', 'delete the second one'),
    say('bob', 'delete the first one'),
  ]);
  expect([askedAnn.reply, askedBob.reply]).toEqual([
    expect.stringContaining('delete “buy apples 2 for ann”?'),
    expect.stringContaining('delete “buy berries 1 for bob”?'),
  ]);
  turn++;
  const [no, yes] = await Promise.all([say('ann', 'no'), say('bob', 'yes')]);
  expect([no.decision.decision_type, yes.decision.decision_type]).toEqual([
    'CANCEL_PENDING',
    'EXECUTE_PENDING',
  ]);
  expect((await say('ann', 'yes')).decision.decision_type).toBe('RESPOND_ONLY');
  expect(await a.tasks(people.ann[1])).toHaveLength(3);
  expect(await b.tasks(people.bob[0])).toHaveLength(2);

  for (const who of ['ann', 'bob'] as const) {
    const id = conversations[who]!;
    const other = who === 'ann' ? 'bob' : 'ann';
    const { messages } = await people[who][0].rest.request('getConversation', { id });
    expect(JSON.stringify(messages)).not.toContain(`for ${other}`);
    for (const proxy of people[other])
      await expect(proxy.say('yes', id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const records = await a.records(id);
    expect(records.length).toBeGreaterThan(10);
    for (const { metadata } of records.filter(({ approval_id: id, type }) => !(type === 'decision' && id)))
      expect(metadata.user_id).toBe(who);
    expect(JSON.stringify(records)).not.toContain(`for ${other}`);
    expect((await people[who][1].rest.request('replayConversation', { id })).differences).toEqual([]);
  }
});

describe('one conversation', () => {
  test('goes on at the other proxy: list here, place there, yes here', async () => {
    const [here, there] = await person('carol');
    const { conversation_id: id } = await here.say('add buy milk');
    await there.say('add call mom', id);
    await here.say('show my tasks', id);
    expect((await there.say('delete 2', id)).reply).toMatch(/delete “call mom”/);
    expect((await here.say('yes', id)).reply).toBe('I have deleted “call mom”.');
  });

  test('many messages at once at both proxies: one after the other, none lost', async () => {
    const [here, there] = await person('dave');
    const { conversation_id: id } = await here.say('hello');
    const wishes = Array.from({ length: 12 }, (_, i) => `add buy item${i}`);
    // On a busy machine the last of them waits for long, is told that nothing was done, and is sent again.
    const send = async (wish: string, i: number, tries = 0): Promise<unknown> => {
      try {
        return await (i % 2 ? here : there).say(wish, id);
      } catch (error) {
        if (tries > 100 || !(error as Error).message.includes('Nothing was done')) throw error;
        return send(wish, i, tries + 1);
      }
    };
    await Promise.all(wishes.map((wish, i) => send(wish, i)));
    const { messages } = await here.rest.request('getConversation', { id });
    const turns = messages.slice(2).map(({ role, content }) => [role, /item\d+/.exec(content)?.[0]]);
    expect(turns).toHaveLength(24);
    for (let i = 0; i < turns.length; i += 2)
      expect([turns[i]![0], turns[i + 1]![0], turns[i + 1]![1]]).toEqual(['user', 'assistant', turns[i]![1]]);
    expect(await a.tasks(here)).toHaveLength(12);
  });

  test('yes at both proxies at once deletes once', async () => {
    const [here, there] = await person('erin');
    for (const task of ['buy milk', 'call mom']) await here.say(`add ${task}`);
    const { conversation_id: id } = await here.say('delete buy milk');
    const answers = await Promise.all([here, there, here, there].map((proxy) => proxy.say('yes', id)));
    expect(answers.filter(({ decision }) => decision.decision_type === 'EXECUTE_PENDING')).toHaveLength(1);
    const calls = (await b.records(id)).filter(
      ({ tool_name, type }) => tool_name === 'delete_task' && type === 'tool_call',
    );
    expect(calls).toHaveLength(1);
  });

  test('a question expires at the same millisecond for both', async () => {
    const [here, there] = await person('frank');
    await here.say('add buy milk');
    const { conversation_id: id } = await here.say('delete buy milk');
    a.time.now += 300_000;
    expect((await there.say('yes', id)).reply).toMatch(/expired, and nothing was deleted/);
  });
});
