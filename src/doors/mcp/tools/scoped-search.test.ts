import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCatalog } from '../../../catalog/catalog.ts';
import { createKnownTools, type KnownTools } from '../../../catalog/known/known-tools.ts';
import { Config } from '../../../contract/config.ts';
import { OperationType } from '../../../contract/operation.ts';
import type { TokenScope } from '../../../contract/token.ts';
import { openDatabase } from '../../../db/database.ts';
import type { SqliteDatabase } from '../../../db/sqlite/database.ts';
import { createEventBus } from '../../../lib/event-bus.ts';
import { createLog } from '../../../lib/log.ts';
import { describeTools, retrieveTools } from './discover-tools.ts';
import { cases } from '../../../../test/fixtures/cases.ts';
import { testSeal } from '../../../../test/fixtures/row-seal.ts';

const log = createLog('silent');
let dir: string;
let db: SqliteDatabase;
let store: KnownTools;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'scoped-'));
  db = await openDatabase({ file: join(dir, 'test.db'), log });
  store = await createKnownTools(db, { seal: testSeal(), log });
});
afterAll(async () => {
  await store.flush();
  await db.close();
  await rm(dir, { recursive: true, force: true });
});

const WORDS = ['issue', 'issues', 'list', 'create', 'delete', 'meeting', 'appointment', 'file', 'customer', 'github', 'weather', 'pay', 'zanzibar']; // prettier-ignore
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 });
const tool = fc
  .record({ name: words, text: words, hint: fc.constantFrom('readOnlyHint', 'destructiveHint') })
  .map(({ name, text, hint }) => ({
    name: name.join('_'),
    description: `${text.join(' ')}.`,
    inputSchema: { type: 'object' as const },
    annotations: { [hint]: true },
  }));
const tools = fc.uniqueArray(tool, { selector: ({ name }) => name, maxLength: 8 });
const scope = fc.constantFrom<TokenScope[]>(
  { operations: OperationType.options, servers: ['mine'] },
  { operations: OperationType.options, tools: ['mine:*'] },
  { operations: ['read'], servers: ['mine'] },
);

test('tools outside the scope of a token change nothing that it sees: not a score, an order, a count or a suggestion', async () => {
  const catalogOf = () =>
    createCatalog({ store, config: () => config, events: createEventBus(), record: () => {}, log });
  const config = Config.parse({ mcpServers: { mine: { command: 'x' } } });
  let scored = 0;
  const property = fc.asyncProperty(
    fc.record({
      mine: tools,
      others: tools,
      first: tools,
      scope,
      query: words,
      limit: fc.integer({ min: 1, max: 5 }),
    }),
    async ({ mine, others, first, scope: given, query, limit }) => {
      const asker = { token: { id: '1', name: 'agent', scope: given } };
      // A destructive tool of the same server is outside the scope of a token that only reads.
      const own =
        given.operations.length === 1 ? mine.filter(({ annotations: { readOnlyHint: r } }) => r) : mine;
      const alone = catalogOf();
      alone.replace('mine', own);
      const amid = catalogOf();
      amid.replace('other', first);
      amid.replace('mine', mine);
      amid.replace('third', others);
      amid.replace('other', others);
      const answers = [alone, amid].map((catalog) => {
        const parts = { config: () => config, catalog };
        const found = retrieveTools(parts, { query: query.join(' '), limit, explain: true }, asker);
        scored += found.tools.length;
        const described = describeTools(
          parts,
          { names: ['mine:nothing', 'other:list', query.join('_')] },
          asker,
        );
        return JSON.stringify([found, described]);
      });
      expect(answers[1]).toBe(answers[0]);
    },
  );
  await fc.assert(property, { numRuns: cases(150) });
  expect(scored).toBeGreaterThan(50);
});
