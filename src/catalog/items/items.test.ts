import { expect, test } from 'vitest';
import { Config } from '../../contract/config.ts';
import { createLog } from '../../lib/log.ts';
import { forgetfulStore } from './item-store.ts';
import { createItems } from './items.ts';

test('names of all servers are in order after each change, also where one name of a server begins another', () => {
  const items = createItems({
    tools: { get: () => undefined, names: () => [], revision: () => 0 },
    store: forgetfulStore(),
    config: () => Config.parse({}),
    record: () => undefined,
    log: createLog('silent'),
  });
  const names = (server: string, ...uris: string[]) => {
    const list = uris.map((uri) => ({ uri, name: uri }));
    items.replace(server, 'resource', list);
    return items.resource.names();
  };
  for (const server of ['b', 'a', 'a-1', 'a0', 'A']) {
    const all = names(server, 'z', 'a', 'm:n');
    expect(all).toEqual(all.toSorted());
  }
  expect(items.resource.names()).toHaveLength(15);
  const after = names('a', 'c', 'b');
  expect(after).toEqual(after.toSorted());
  expect(after.filter((name) => name.startsWith('a:'))).toEqual(['a:b', 'a:c']);
});
