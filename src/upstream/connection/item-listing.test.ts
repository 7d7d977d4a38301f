import { expect, test, vi } from 'vitest';
import type { ItemKind } from '../../contract/item.ts';
import type { JsonObject } from '../../json/index.ts';
import { createLog } from '../../lib/log.ts';
import type { Connection } from './connect.ts';
import { ItemListing } from './item-listing.ts';

const LIMIT = { timeout: 60_000 };

/** A connection whose list of prompts fails as often as said. */
function failing(times: number): { connection: Connection; asked: string[] } {
  const asked: string[] = [];
  let left = times;
  const ask = (method: string) => {
    asked.push(method);
    if (method !== 'prompts/list' || left-- <= 0)
      return Promise.resolve({ prompts: [{ name: 'greet' }], resources: [], resourceTemplates: [] });
    return Promise.reject(new Error('the connection was closed'));
  };
  return { connection: { offers: ['prompts', 'resources'], lane: { ask } } as unknown as Connection, asked };
}

function listing() {
  const lists = new Map<ItemKind, JsonObject[]>();
  const items = new ItemListing({
    server: 's',
    onItems: (_server, kind, list) => void lists.set(kind, list),
    log: createLog('silent'),
    shown: (text) => text,
  });
  return { items, lists };
}

test('a list that fails is read again, and the problem is forgotten then', async () => {
  const { items, lists } = listing();
  await items.read(failing(1).connection, () => true);
  expect(items.problems).toEqual([expect.stringContaining('its prompts could not be listed')]);
  await vi.waitFor(() => expect(lists.get('prompt')).toEqual([{ name: 'greet' }]), LIMIT);
  expect(items.problems).toEqual([]);
});

test('a list that fails is not read again on a connection that was replaced', async () => {
  const { items, lists } = listing();
  const first = failing(1);
  let isCurrent = true;
  await items.read(first.connection, () => isCurrent);
  isCurrent = false;
  await items.read(failing(0).connection, () => true);
  expect(lists.get('prompt')).toEqual([{ name: 'greet' }]);
  await new Promise((done) => setTimeout(done, 400));
  expect(first.asked.filter((method) => method === 'prompts/list')).toHaveLength(1);
});
