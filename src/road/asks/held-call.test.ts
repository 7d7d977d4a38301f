import { describe, expect, test } from 'vitest';
import type { CallResult } from '../../contract/call.ts';
import { HeldCall } from './held-call.ts';
import { HeldCalls, heldState } from './held-calls.ts';

const never = new AbortController().signal;
const round = () => ({ signal: new AbortController().signal });
type Question = { inputRequests: Record<string, { method: string }>; requestState: unknown };

function start(work: (held: HeldCall) => Promise<CallResult>) {
  const held = new HeldCall(round());
  return { held, first: held.run(work(held)) };
}

describe('a call that its client continues', () => {
  test('ends a request with the questions of the server, and goes on with the answers', async () => {
    const { held, first } = start(async (call) => {
      const answers = await Promise.all(
        ['a', 'b'].map((name) => call.request('roots/list', { name }, never)),
      );
      return { content: [], structuredContent: answers };
    });
    const { inputRequests } = (await first) as unknown as Question;
    expect(Object.values(inputRequests)).toEqual([
      { method: 'roots/list', params: { name: 'a' } },
      { method: 'roots/list', params: { name: 'b' } },
    ]);
    const [one, two] = Object.keys(inputRequests);
    // What is left open is asked again.
    const again = (await held.resume(round(), { [one!]: { n: 1 }, other: {} })) as unknown as Question;
    expect(Object.keys(again.inputRequests)).toEqual([two]);
    expect(held.isEnded).toBe(false);
    await expect(held.resume(round(), { [two!]: { n: 2 } })).resolves.toMatchObject({
      structuredContent: [{ n: 1 }, { n: 2 }],
    });
    expect(held.isEnded).toBe(true);
  });

  test('keeps a result that comes while the client is away, and ends with the request that waits for it', async () => {
    let end!: (result: CallResult) => void;
    const { held, first } = start(async (call) => {
      void call.request('roots/list', {}, never);
      return new Promise((done) => (end = done));
    });
    expect(await first).toMatchObject({ resultType: 'input_required' });
    end({ content: [] });
    await expect.poll(() => held.isEnded).toBe(true);
    await expect(held.resume(round(), {})).resolves.toEqual({ content: [] });
  });

  test('is cancelled with the request that waits, and not with one that has ended', async () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const held = new HeldCall({ signal: one.signal });
    const ends = held.run(
      held.request('roots/list', {}, never).then(() => new Promise<CallResult>(() => undefined)),
    );
    const { inputRequests } = (await ends) as unknown as Question;
    one.abort('too late');
    expect(held.aborted).toBe(false);
    void held.resume({ signal: two.signal }, { [Object.keys(inputRequests)[0]!]: {} });
    two.abort('left');
    expect(held).toMatchObject({ aborted: true, reason: 'left' });
  });
});

describe('the calls that wait for their clients', () => {
  const hold = (calls: HeldCalls, held: HeldCall, client = 'a') =>
    calls.hold(held, { client, limitMs: 60_000, onLeft: () => undefined });

  test('are continued once, by their own client, with the latest state', () => {
    const calls = new HeldCalls();
    const held = new HeldCall(round());
    held.round = 2;
    hold(calls, held);
    const state = { mcpproxy_held: held.id, round: 2, proxy: 'here' };
    expect(heldState('of a server')).toBeUndefined();
    expect(heldState(state)).toBe(state);
    expect(() => calls.take(state, 'b')).toThrow(/has ended/);
    expect(() => calls.take({ ...state, round: 1 }, 'a')).toThrow(/has ended/);
    const { call, again } = calls.take(state, 'a');
    expect(call).toBe(held);
    expect(() => calls.take(state, 'a')).toThrow(/has ended/);
    again();
    expect(calls.take(state, 'a').call).toBe(held);
  });

  test('are limited per client', () => {
    const calls = new HeldCalls();
    for (let i = 0; i < 32; i++) hold(calls, new HeldCall(round()));
    const next = new HeldCall(round());
    expect(() => calls.checkRoom(next, 'a')).toThrow(/Too many calls/);
    expect(() => calls.checkRoom(next, 'b')).not.toThrow();
  });
});
