import { expect, test } from 'vitest';
import { catalogTool } from '../../../test/fixtures/catalog-tool.ts';
import { Config } from '../../contract/config.ts';
import { createLog } from '../../lib/log.ts';
import { forgetfulStore } from './item-store.ts';
import { createItems } from './items.ts';

test.each([
  ['new', true],
  ['changed', false],
])(
  'with quarantine "%s", resources of a server without an accepted tool are withheld: %s',
  (quarantine, isWithheld) => {
    const config = Config.parse({ quarantine });
    let [withheld, revision] = [true, 1];
    const items = createItems({
      tools: {
        get: () => ({ ...catalogTool('a', 'x'), withheld }),
        names: () => ['a:x'],
        revision: () => revision,
      },
      store: forgetfulStore(),
      config: () => config,
      record: () => undefined,
      log: createLog('silent'),
    });
    items.replace('a', 'resource', [{ uri: 'r://a', name: 'a' }]);
    items.replace('a', 'template', [{ uriTemplate: 'r://{x}', name: 'a' }]);
    const all = () => [
      items.resource.get('a:r://a')!,
      items.template.get('a:r://{x}')!,
      items.unlisted('a', 'r://b'),
    ];
    expect(all().map((each) => each.withheld)).toEqual([isWithheld, isWithheld, isWithheld]);

    [withheld, revision] = [false, 2];
    items.toolsChanged();
    expect(all().map((each) => each.offered)).toEqual([true, true, true]);

    [withheld, revision] = [true, 3];
    items.toolsChanged();
    expect(all().map((each) => each.withheld)).toEqual([isWithheld, isWithheld, isWithheld]);
  },
);
