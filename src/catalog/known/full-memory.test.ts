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
  const perHour = 100;
  const now = Date.parse('2026-01-01T00:00:00Z');
  let records: ToolChangeDraft[];
  let config: Config;
  let store: KnownTools;
  let catalog: Catalog;

  async function open(): Promise<void> {
    store = await createKnownTools(database(), { seal: testSeal(), log, perServer: ROOM, perHour });
    catalog = createCatalog({
      store,
      config: () => config,
      events: createEventBus(),
      record: (draft) => void records.push(draft),
      log,
      clock: { now: () => now },
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

eachEngine('a server that lists new names at every listing', ({ shared }) => {
  const database = shared('known_tools', 'accepted_definitions');
  const HOUR = 3_600_000;
  let now: number;
  let records: ToolChangeDraft[];
  let store: KnownTools;
  let catalog: Catalog;

  async function open(): Promise<void> {
    store = await createKnownTools(database(), { seal: testSeal(), log, perServer: 1000, perHour: 5 });
    catalog = createCatalog({
      store,
      config: () => Config.parse({ mcpServers: { a: { command: 'srv' } } }),
      events: createEventBus(),
      record: (draft) => void records.push(draft),
      log,
      clock: { now: () => now },
    });
  }

  const FIRST = Array.from({ length: 20 }, (_, i) => tool(`first_${i}`));
  let junk = 0;
  const listing = () => [...FIRST, ...Array.from({ length: 10 }, () => tool(`junk_${junk++}`))];
  const offered = () => store.ofServer('a').size;

  beforeEach(async () => {
    now = Date.parse('2026-01-01T00:00:00Z');
    [records, junk] = [[], 0];
    await open();
    catalog.replace('a', FIRST);
    await catalog.flush();
    now += HOUR;
  });
  afterEach(async () => {
    await catalog.flush();
    store.close();
  });

  test('is remembered with a few per hour; the rest is withheld and recorded, and no known tool is pushed out', async () => {
    expect(offered()).toBe(20);
    for (let i = 0; i < 30; i++) {
      catalog.replace('a', listing());
      now += 1000;
    }
    await catalog.flush();
    expect(offered()).toBe(25);
    expect(catalog.get('a:junk_299')).toMatchObject({ offered: false, withheld: true });
    for (const { name } of FIRST) expect(catalog.get(`a:${name}`)!.offered).toBe(true);
    const told = records.filter(({ metadata }) => metadata.change === 'tools_not_remembered');
    expect(told).toHaveLength(30);
    expect(told[0]).toMatchObject({ server_name: 'a', metadata: { withheld: true, further: 5 } });
  });

  test('has a bounded number of records per hour, however often and however much it changes', async () => {
    const key = 'k'.repeat(4000);
    for (let i = 0; i < 60; i++) {
      catalog.replace(
        'a',
        FIRST.map((each) => ({ ...each, [`${key}${i}`]: i })),
      );
      now += 1000;
    }
    await catalog.flush();
    expect(records).toHaveLength(1001);
    const last = { change: 'further_changes', further: 200, tools: FIRST.map(({ name }) => name) };
    expect(records.at(-1)).toMatchObject({ server_name: 'a', metadata: last });
    for (const record of records) expect(JSON.stringify(record).length).toBeLessThan(3000);
  });

  test('is bounded across a restart too, and has room again an hour later', async () => {
    catalog.replace('a', listing());
    await catalog.flush();
    store.close();
    await open();
    catalog.replace('a', listing());
    expect(offered()).toBe(25);
    now += HOUR + 1;
    catalog.replace('a', listing());
    expect(offered()).toBe(30);
  });
});
