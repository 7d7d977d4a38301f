import { expect, test } from 'vitest';
import type { RpcMessage } from '../../lib/rpc.ts';
import { Lane } from './lane.ts';

const QUESTION = { jsonrpc: '2.0', method: 'elicitation/create', params: { message: 'password?' } } as const;

function shared() {
  const sent: RpcMessage[] = [];
  const heard: boolean[] = [];
  const clients = { isShared: true, onAsk: (_: string, isHeard: boolean) => heard.push(isHeard) };
  const lane = new Lane({ send: (message) => void sent.push(message) }, undefined, clients);
  const asked: string[] = [];
  const call = (client: string) =>
    lane.request(
      'tools/call',
      {},
      {
        asker: client,
        asked: async () => {
          asked.push(client);
          return { action: 'decline' };
        },
        answered: () => undefined,
        lost: () => undefined,
      },
    );
  const answerTo = (id: string) => expect.poll(() => sent.find((message) => message.id === id));
  return { lane, call, asked, heard, answerTo };
}

test('a question without a request belongs to the only call in flight while the connection has served one client', async () => {
  const { lane, call, asked, answerTo } = shared();
  const first = call('a');
  lane.accept({ jsonrpc: '2.0', id: first, result: {} });
  call('a');
  lane.accept({ ...QUESTION, id: 'q1' });
  await answerTo('q1').toMatchObject({ result: { action: 'decline' } });
  expect(asked).toEqual(['a']);
});

test('it is refused and remembered once there was a second client: it may be about the ended call of the first', async () => {
  const { lane, call, asked, heard, answerTo } = shared();
  const first = call('a');
  lane.accept({ jsonrpc: '2.0', id: first, result: {} });
  const second = call('b');
  lane.accept({ ...QUESTION, id: 'q1' });
  await answerTo('q1').toMatchObject({ error: { code: -32601 } });
  expect({ asked, heard }).toEqual({ asked: [], heard: [false] });
  lane.accept({ ...QUESTION, id: 'q2' }, second);
  await answerTo('q2').toMatchObject({ result: { action: 'decline' } });
  expect(asked).toEqual(['b']);
});
