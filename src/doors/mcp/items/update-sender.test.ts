import { expect, test } from 'vitest';
import { MAX_SUBSCRIBED, UpdateSender } from './update-sender.ts';

test('subscriptions that are asked for count towards the limit, and refused ones free their place', async () => {
  const sender = new UpdateSender(
    () => undefined,
    () => true,
  );
  for (let i = 1; i < MAX_SUBSCRIBED; i++) sender.add(`r://${i}`);
  expect(sender.isFull).toBe(false);
  const refused = sender.subscribe('r://0', () => Promise.reject(new Error('refused')));
  expect(sender.isFull).toBe(true);
  await expect(refused).rejects.toThrow('refused');
  expect(sender.isFull).toBe(false);
  await sender.subscribe('r://0', () => Promise.resolve());
  expect(sender.isFull).toBe(true);
});

test('updates of a resource that the client may no longer read are not sent', () => {
  const sent: string[] = [];
  let isReadable = true;
  const sender = new UpdateSender(
    (uri) => void sent.push(uri),
    () => isReadable,
  );
  sender.add('r://1');
  sender.add('r://2');
  sender.updated('s', 'r://1');
  isReadable = false;
  sender.updated('s', 'r://2');
  expect(sent).toEqual(['r://1']);
  sender.close();
});
