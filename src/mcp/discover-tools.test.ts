import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCatalog, type Catalog } from '../catalog/catalog.ts';
import { createKnownTools } from '../catalog/known-tools.ts';
import { Config } from '../contract/config.ts';
import { openDatabase, type Database } from '../db/database.ts';
import { createEventBus } from '../lib/event-bus.ts';
import { createLog } from '../lib/log.ts';
import { describeTools, retrieveTools, type DiscoveryParts } from './discover-tools.ts';

const log = createLog('silent');
let dir: string;
let db: Database;
let config: Config;
let catalog: Catalog;
let parts: DiscoveryParts;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'discover-'));
  db = await openDatabase({ file: join(dir, 'test.db'), log });
  config = Config.parse({ quarantine: 'changed' });
  const store = createKnownTools(db, log);
  catalog = createCatalog({ store, config: () => config, events: createEventBus(), record: () => {}, log });
  parts = { config: () => config, catalog };
  const inputSchema = {
    type: 'object',
    properties: { title: { type: 'string' }, body: { type: 'string', description: 'Text of the issue' } },
    required: ['title'],
  };
  catalog.replace('github', [
    {
      name: 'create_issue',
      description: 'Create an issue. More text.',
      inputSchema,
      annotations: { readOnlyHint: false },
    },
    {
      name: 'list_issues',
      description: 'List issues.',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    },
  ]);
});

afterEach(async () => {
  await catalog.flush();
  await db.close();
  await rm(dir, { recursive: true, force: true });
});

describe('retrieve_tools', () => {
  test('compact: one line per tool, and how to get the rest', () => {
    const { tools, usage_instructions: usage } = retrieveTools(parts, {
      query: 'create issue',
      detail: 'compact',
      limit: 1,
    });
    expect(tools).toEqual([
      {
        name: 'github:create_issue',
        description: 'Create an issue.',
        signature: '(title: string, body?)',
        call_with: 'call_tool_write',
        operation: 'write',
        score: expect.any(Number),
      },
    ]);
    expect(usage).toContain('describe_tool');
    config = Config.parse({ tools: { detail: 'compact', limit: 1 } });
    expect(retrieveTools(parts, { query: 'issue' }).tools[0]).toHaveProperty('signature');
  });

  test('explain: why, in both forms', () => {
    for (const detail of ['full', 'compact'])
      expect(
        retrieveTools(parts, { query: 'create issue', detail, explain: true }).tools[0]!.why!.length,
      ).toBeGreaterThan(0);
    expect(retrieveTools(parts, { query: 'create issue' }).tools[0]).not.toHaveProperty('why');
  });

  test('says what is left out, and helps after nothing', () => {
    expect(retrieveTools(parts, { query: 'issue', operation: 'read' })).toMatchObject({
      tools: [{ name: 'github:list_issues' }],
      left_out: { by_filter: 1, by_limit: 0 },
    });
    expect(retrieveTools(parts, { query: '!!!' })).toMatchObject({
      tools: [],
      total: 0,
      suggestions: { servers: ['github'] },
    });
    expect(() => retrieveTools(parts, { query: 'issue', server: 'gitub' })).toThrow(
      /Did you mean 'github'\?/,
    );
  });
});

describe('describe_tool', () => {
  test('a withheld tool is named as it was asked for, and nothing is said of it', () => {
    catalog.replace('github', [
      { name: 'create_issue', description: 'CANARY', inputSchema: { type: 'object', CANARY: 1 } },
      {
        name: 'list_issues',
        description: 'List issues.',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
      },
    ]);
    const described = describeTools(parts, {
      names: ['github:create_issue', 'github:create_isue', 'github:list_issues'],
    });
    expect(described.not_found).toEqual([
      { name: 'github:create_issue', nearest: [], withheld: true },
      { name: 'github:create_isue', nearest: [] },
    ]);
    expect(described.tools.map(({ name }) => name)).toEqual(['github:list_issues']);
    expect(JSON.stringify([described, retrieveTools(parts, { query: 'create issue' })])).not.toContain(
      'CANARY',
    );
  });
});
