import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCatalog, type Catalog } from '../../../catalog/catalog.ts';
import { createKnownTools } from '../../../catalog/known/known-tools.ts';
import { Config } from '../../../contract/config.ts';
import { OperationType } from '../../../contract/operation.ts';
import type { TokenScope } from '../../../contract/token.ts';
import { openDatabase } from '../../../db/database.ts';
import type { SqliteDatabase } from '../../../db/sqlite/database.ts';
import { createEventBus } from '../../../lib/event-bus.ts';
import { createLog } from '../../../lib/log.ts';
import { describeTools, retrieveTools, type DiscoveryParts } from './discover-tools.ts';
import { testSeal } from '../../../../test/fixtures/row-seal.ts';

const log = createLog('silent');
let dir: string;
let db: SqliteDatabase;
let config: Config;
let catalog: Catalog;
let parts: DiscoveryParts;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'discover-'));
  db = await openDatabase({ file: join(dir, 'test.db'), log });
  config = Config.parse({ quarantine: 'changed' });
  const store = await createKnownTools(db, { seal: testSeal(), log });
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
    const { tools, usage_instructions: usage } = retrieveTools(
      parts,
      {
        query: 'create issue',
        detail: 'compact',
        limit: 1,
      },
      {},
    );
    expect(tools).toEqual([
      {
        name: 'github:create_issue',
        description: 'Create an issue.',
        signature: '(title: string, body?)',
        annotations: { readOnlyHint: false },
        call_with: 'call_tool_write',
        operation: 'write',
        score: expect.any(Number),
      },
    ]);
    expect(usage).toBe(
      'Use call_tool_read for read-only operations, call_tool_write for modifications, call_tool_destructive for deletions. Intent must match the tool variant. call_with says which one, for each tool. describe_tool returns full schemas.',
    );
    config = Config.parse({ tools: { detail: 'compact', limit: 1 } });
    expect(retrieveTools(parts, { query: 'issue' }, {}).tools[0]).toHaveProperty('signature');
  });

  test('explain: why, in both forms', () => {
    for (const detail of ['full', 'compact'])
      expect(
        retrieveTools(parts, { query: 'create issue', detail, explain: true }, {}).tools[0]!.why!.length,
      ).toBeGreaterThan(0);
    expect(retrieveTools(parts, { query: 'create issue' }, {}).tools[0]).not.toHaveProperty('why');
  });

  test('says what is left out, and helps after nothing', () => {
    expect(retrieveTools(parts, { query: 'issue', operation: 'read' }, {})).toMatchObject({
      tools: [{ name: 'github:list_issues' }],
      left_out: { by_filter: 1, by_limit: 0 },
    });
    expect(retrieveTools(parts, { query: '!!!' }, {})).toMatchObject({
      tools: [],
      total: 0,
      suggestions: { servers: ['github'] },
    });
    expect(() => retrieveTools(parts, { query: 'issue', server: 'gitub' }, {})).toThrow(
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
    const described = describeTools(
      parts,
      {
        names: ['github:create_issue', 'github:create_isue', 'github:list_issues'],
      },
      {},
    );
    expect(described.not_found).toEqual([
      { name: 'github:create_issue', nearest: [], withheld: true },
      { name: 'github:create_isue', nearest: [] },
    ]);
    expect(described.tools.map(({ name }) => name)).toEqual(['github:list_issues']);
    expect(JSON.stringify([described, retrieveTools(parts, { query: 'create issue' }, {})])).not.toContain(
      'CANARY',
    );
  });
});

describe('an agent token', () => {
  const token = (scope: Partial<TokenScope>) => ({
    token: { id: '1', name: 'agent', scope: { operations: OperationType.options, ...scope } },
  });

  const tool = (name: string, description: string, annotations: Record<string, boolean>) => ({
    name,
    description,
    annotations,
    inputSchema: { type: 'object' },
  });

  beforeEach(() => {
    config = Config.parse({});
    catalog.replace('github', [
      tool('list_issues', 'List issues.', { readOnlyHint: true }),
      tool('create_issue', 'Create an issue.', { readOnlyHint: false }),
      tool('delete_issue', 'Delete an issue.', { destructiveHint: true }),
    ]);
    catalog.replace('jira', [tool('list_issues', 'List issues of CANARY.', { readOnlyHint: true })]);
  });

  test('finds the tools that it may call; for other tools the answer only says that the scope limits the search', () => {
    const reader = token({ operations: ['read'], servers: ['github'] });
    expect(retrieveTools(parts, { query: 'issue', limit: 1 }, reader)).toMatchObject({
      tools: [{ name: 'github:list_issues' }],
      total: 1,
      left_out: { by_filter: 0, by_limit: 0, out_of_scope: true },
    });
    expect(retrieveTools(parts, { query: 'nothing alike' }, reader).left_out.out_of_scope).toBe(true);
    expect(retrieveTools(parts, { query: 'issue' }, {}).left_out).not.toHaveProperty('out_of_scope');
    catalog.remove('jira');
    expect(retrieveTools(parts, { query: 'issue' }, reader).left_out.out_of_scope).toBe(true);
  });

  test('is told of no server and no name beyond its scope', () => {
    const narrow = token({ tools: ['github:list_*'] });
    expect(() => retrieveTools(parts, { query: 'issue', server: 'jira' }, narrow)).toThrow(
      /^Server 'jira' not found. Known servers: github$/,
    );
    const nothing = retrieveTools(parts, { query: 'xyzzy' }, narrow);
    expect(nothing.suggestions).toMatchObject({ servers: ['github'] });
    const described = describeTools(
      parts,
      {
        names: [
          'github:list_issues',
          'github:delete_issue',
          'jira:list_issues',
          'jira:nothing',
          'list_issue',
        ],
      },
      narrow,
    );
    expect(described.tools.map(({ name }) => name)).toEqual(['github:list_issues']);
    expect(described.not_found).toEqual([
      { name: 'github:delete_issue', nearest: [], out_of_scope: true },
      { name: 'jira:list_issues', nearest: ['github:list_issues'], out_of_scope: true },
      // One that is not there looks the same.
      { name: 'jira:nothing', nearest: [], out_of_scope: true },
      { name: 'list_issue', nearest: ['github:list_issues'] },
    ]);
    expect(JSON.stringify([nothing, described])).not.toContain('CANARY');
  });
});
