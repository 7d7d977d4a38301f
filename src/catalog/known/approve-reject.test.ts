import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachEngine } from '../../../test/fixtures/engines.ts';
import { Config } from '../../contract/config.ts';
import type { ToolDefinition } from '../../contract/tool.ts';
import { createEventBus } from '../../lib/event-bus.ts';
import { createLog } from '../../lib/log.ts';
import { createCatalog, type Catalog } from '../catalog.ts';
import type { RowSeal } from '../../db/index.ts';
import { createKnownTools, type KnownTools } from './known-tools.ts';
import { testSeal } from '../../../test/fixtures/row-seal.ts';

const log = createLog('silent');
const ann = { principal: 'ann', requestId: 'R1' };
const NAME = 'a:wipe';
const WIPE: ToolDefinition = {
  name: 'wipe',
  description: 'Wipes a disk.',
  inputSchema: { type: 'object' },
  annotations: { destructiveHint: true },
};
const AS_READ = { annotations: { readOnlyHint: true } };
const ALL = ['call_tool_read', 'call_tool_write', 'call_tool_destructive'];

eachEngine('deciding about a tool that changed', ({ shared }) => {
  const database = shared('known_tools', 'accepted_definitions');
  let config: Config;
  let store: KnownTools;
  let seal: RowSeal;
  let catalog: Catalog;

  async function open(): Promise<void> {
    store = await createKnownTools(database(), { seal, log });
    catalog = createCatalog({
      store,
      config: () => config,
      events: createEventBus(),
      record: () => undefined,
      log,
    });
  }

  async function restart(): Promise<void> {
    await catalog.flush();
    store.close();
    await open();
  }

  beforeEach(async () => {
    config = Config.parse({ quarantine: 'changed', mcpServers: { a: { command: 'srv' } } });
    seal = testSeal();
    await open();
  });

  afterEach(async () => {
    await catalog.flush();
    store.close();
  });

  const list = (change: Partial<ToolDefinition> = {}) => catalog.replace('a', [{ ...WIPE, ...change }]);
  const tool = () => catalog.get(NAME)!;

  test('says what agents may do before and after', async () => {
    list();
    list(AS_READ);
    const { approval, inferred } = await catalog.diff(NAME);
    expect(inferred).toEqual({ operation: 'destructive', reason: expect.stringContaining('wipe') as string });
    expect(approval).toEqual({
      before: { operation: 'destructive', source: 'annotation', variants: ['call_tool_destructive'] },
      after: { operation: 'read', source: 'annotation', variants: ALL },
      keeps: 'destructive',
      consequence:
        'After this, agents may find it and call it as read: with call_tool_read, call_tool_write, call_tool_destructive. Before, it counted as destructive: with call_tool_destructive.',
    });
  });

  test('a stored definition that somebody else has changed is not compared with', async () => {
    list();
    await catalog.flush();
    list({ description: 'Changed.' });
    await catalog.flush();
    expect((await catalog.diff(NAME)).changes.map(({ path }) => path)).toEqual(['/description']);
    const forged = { ...WIPE, description: 'Changed.' };
    await database()
      .kysely.updateTable('accepted_definitions')
      .set({ definition: JSON.stringify(forged) })
      .execute();
    const { changes, notes } = await catalog.diff(NAME);
    expect([changes, notes.join()]).toEqual([
      [],
      expect.stringContaining('changed outside of mcpproxy') as string,
    ]);
  });

  test.each(['changed', 'warn'] as const)(
    'a tool whose row was deleted is withheld, not rejected, until it or its server is approved (quarantine: %s)',
    async (quarantine) => {
      config = Config.parse({ quarantine, mcpServers: { a: { command: 'srv' } } });
      list();
      await catalog.flush();
      await database().kysely.deleteFrom('known_tools').execute();
      await restart();
      list();
      expect(tool()).toMatchObject({ withheld: true, rejected: false, offered: false });
      expect(catalog.judged(tool())).toMatchObject({
        accepted: null,
        distrusted: { why: expect.stringContaining('outside of mcpproxy') as string },
      });
      expect(catalog.coverage()).toMatchObject({ withheld: 1, rejected: 0 });
      expect((await catalog.diff(NAME)).notes.join()).toContain('what was accepted is not known');
      expect(await catalog.approveServer('a', ann)).toMatchObject({ approved: [NAME], skipped: [] });
      expect(tool()).toMatchObject({ offered: true, standing: 'accepted' });
      expect(catalog.judged(tool())).not.toHaveProperty('distrusted');
    },
  );

  test('says so of a tool that became stricter, by what was accepted, and of a new one', async () => {
    list(AS_READ);
    await catalog.flush();
    expect((await catalog.diff(NAME)).approval.consequence).toContain('That is the same as before.');
    list();
    expect((await catalog.diff(NAME)).approval).toMatchObject({
      before: { operation: 'read' },
      after: { operation: 'destructive' },
      keeps: 'destructive',
    });
    config = Config.parse({ quarantine: 'new', mcpServers: { a: { command: 'srv' } } });
    catalog.replace('a', [{ ...WIPE, name: 'other' }]);
    expect((await catalog.diff('a:other')).approval).toMatchObject({
      before: null,
      consequence: expect.stringContaining('It was never accepted before.') as string,
    });
  });

  test('accepts the definition and keeps the stricter operation, in one step', async () => {
    list();
    list(AS_READ);
    await catalog.approve(NAME, ann, { keepOperation: true });
    expect(tool()).toMatchObject({
      offered: true,
      standing: 'accepted',
      constraint: { operation: 'destructive', source: 'operator' },
    });
    await restart();
    list(AS_READ);
    expect(tool()).toMatchObject({ offered: true, constraint: { operation: 'destructive' } });
  });

  test('what is held to nothing has nothing to keep', async () => {
    list({ annotations: {} });
    list({ annotations: {}, description: 'Other.' });
    await expect(catalog.approve(NAME, ann, { keepOperation: true })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(tool().offered).toBe(false);
  });

  test.each(['changed', 'warn'] as const)(
    'rejected, it stays withheld and waits for nobody (quarantine: %s)',
    async (quarantine) => {
      config = Config.parse({ quarantine, mcpServers: { a: { command: 'srv' } } });
      list();
      list(AS_READ);
      await catalog.reject(NAME, ann);
      expect(tool()).toMatchObject({ withheld: true, rejected: true, offered: false });
      expect(catalog.judged(tool()).rejected).toMatchObject({ by: 'ann' });
      expect(catalog.coverage()).toMatchObject({ changed: 0, withheld: 0, rejected: 1 });
      await restart();
      list(AS_READ);
      expect(tool()).toMatchObject({ withheld: true, rejected: true });
      expect(await catalog.approveServer('a', ann)).toMatchObject({
        approved: [],
        skipped: [{ tool: NAME, why: expect.stringContaining('rejected') as string }],
      });
    },
  );

  test('rejected, it is asked about again when it changes again, and is there when the server returns', async () => {
    list();
    list(AS_READ);
    await catalog.reject(NAME, ann);
    list({ ...AS_READ, description: 'Reads a disk.' });
    expect(tool()).toMatchObject({ withheld: true, rejected: false, standing: 'changed' });
    expect(catalog.coverage()).toMatchObject({ changed: 1, withheld: 1, rejected: 0 });
    list();
    expect(tool()).toMatchObject({ offered: true, rejected: false, standing: 'accepted' });
    list(AS_READ);
    expect(tool().rejected).toBe(true);
    await catalog.approve(NAME, ann);
    expect(tool()).toMatchObject({ offered: true, rejected: false });
  });

  test('rejecting is bound to what was looked at, and to there being something to reject', async () => {
    list();
    await expect(catalog.reject(NAME, ann)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('nothing to reject') as string,
    });
    list(AS_READ);
    await expect(catalog.reject(NAME, ann, 'another')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(tool().rejected).toBe(false);
  });
});
