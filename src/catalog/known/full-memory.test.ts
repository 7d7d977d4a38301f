import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachEngine } from '../../../test/fixtures/engines.ts';
import { Config } from '../../contract/config.ts';
import { createEventBus } from '../../lib/event-bus.ts';
import { createLog } from '../../lib/log.ts';
import { createCatalog, type Catalog } from '../catalog.ts';
import { createKnownTools, type KnownTools } from './known-tools.ts';
import type { ToolChangeDraft } from '../listing/report-changes.ts';
import { testSeal } from '../../../test/fixtures/row-seal.ts';

const log = createLog('silent');
const ann = { principal: 'ann', requestId: 'R1' };
const ROOM = 3;
const tool = (name: string, annotations: Record<string, unknown> = { destructiveHint: true }) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' as const },
  annotations,
});

eachEngine('a server that has listed as many names as are remembered', ({ shared }) => {
  const database = shared('known_tools', 'accepted_definitions');
  let records: ToolChangeDraft[];
  let config: Config;
  let store: KnownTools;
  let catalog: Catalog;

  async function open(): Promise<void> {
    store = await createKnownTools(database(), { seal: testSeal(), log, maxPerServer: ROOM });
    catalog = createCatalog({
      store,
      config: () => config,
      events: createEventBus(),
      record: (draft) => void records.push(draft),
      log,
    });
  }

  beforeEach(async () => {
    records = [];
    config = Config.parse({ quarantine: 'changed', mcpServers: { a: { command: 'srv' } } });
    await open();
    catalog.replace('a', [tool('one'), tool('two'), tool('three')]);
    await catalog.flush();
  });

  afterEach(async () => {
    await catalog.flush();
    store.close();
  });

  const offered = (name: string) => catalog.get(`a:${name}`)!.offered;
  const told = () => records.filter(({ metadata }) => metadata.change === 'tools_not_remembered');

  test.each(['changed', 'warn'] as const)(
    'has further tools withheld (quarantine: %s)',
    async (quarantine) => {
      config = Config.parse({ quarantine, mcpServers: { a: { command: 'srv' } } });
      catalog.replace('a', [tool('one'), tool('drop_all')]);
      expect([offered('one'), offered('drop_all')]).toEqual([true, false]);
      expect(catalog.get('a:drop_all')).toMatchObject({ standing: 'new', withheld: true });
      // What was destructive cannot come back as a read that nobody has looked at.
      catalog.replace('a', [tool('one'), tool('drop_all', { readOnlyHint: true })]);
      expect(offered('drop_all')).toBe(false);
      expect((await catalog.diff('a:drop_all')).notes.join(' ')).toMatch(
        /no more are remembered.*Approve it/,
      );
    },
  );

  test('is told of once per listing, however many tools there are', async () => {
    const many = Array.from({ length: 500 }, (_, i) => tool(`made_up_${i}`));
    catalog.replace('a', many);
    await catalog.flush();
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({ server_name: 'a', metadata: { further: 500, withheld: true } });
    catalog.replace('a', many);
    catalog.refreshConfig();
    await catalog.flush();
    expect(told()).toHaveLength(1);
    catalog.replace('a', [...many, tool('one_more')]);
    await catalog.flush();
    expect(told().map(({ metadata }) => metadata.further)).toEqual([500, 1]);
  });

  test('has what the operator approves remembered, also after a restart, and its changes seen', async () => {
    const listing = [tool('one'), tool('drop_all')];
    catalog.replace('a', listing);
    await catalog.approve('a:drop_all', ann);
    expect(offered('drop_all')).toBe(true);
    await catalog.flush();
    store.close();
    await open();
    catalog.replace('a', listing);
    expect(offered('drop_all')).toBe(true);
    catalog.replace('a', [tool('one'), tool('drop_all', { readOnlyHint: true })]);
    expect(catalog.get('a:drop_all')).toMatchObject({ standing: 'changed', withheld: true });
  });
});
