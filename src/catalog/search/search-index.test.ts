import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../../../test/fixtures/cases.ts';
import { askedOperation, namedOperation } from '../verdict/asked-operation.ts';
import { documentWeights, fieldWords, type IndexedTool } from './document-weights.ts';
import { prepareQuery } from './prepare-query.ts';
import { createSearchIndex } from './search-index.ts';
import { SETTINGS } from './search-settings.ts';
import { aboutServer } from './tool-text.ts';
import { toolVector, type TextVector } from './text-vector.ts';
import { shippedWordVectors } from './word-vectors.ts';

function tool(server: string, name: string, description = ''): IndexedTool {
  return {
    name: `${server}:${name}`,
    server,
    definition: { name, description, inputSchema: { type: 'object', properties: {} } },
  };
}

function withParameters(indexed: IndexedTool, properties: Record<string, unknown>): IndexedTool {
  const inputSchema = { type: 'object', properties };
  return { ...indexed, definition: { ...indexed.definition, inputSchema } };
}

/** The same formulas over all tools, without any index. */
function naiveSearch(tools: IndexedTool[], text: string): Array<{ name: string; score: number }> {
  const weighed = tools.map((each) => ({ tool: each, weights: documentWeights(fieldWords(each), SETTINGS) }));
  const holders = (term: string) => weighed.filter(({ weights }) => weights.has(term)).length;
  const query = prepareQuery(text, { size: tools.length, holders, vectors: shippedWordVectors() }, SETTINGS);
  const asked = askedOperation(text);
  return weighed
    .map(({ tool: { name, server, definition }, weights }) => {
      const words = query.terms.reduce((sum, { term, weight }) => {
        const frequency = weights.get(term) ?? 0;
        return sum + (weight * frequency) / (SETTINGS.k1 + frequency);
      }, 0);
      const vector = toolVector(fieldWords({ name, server, definition }), shippedWordVectors());
      const lexical = query.ideal === 0 ? 0 : words / query.ideal;
      const meaning = SETTINGS.meaning * Math.sqrt(Math.min(1, 8 / Math.max(1, query.said)));
      const fit = query.vector
        ? (lexical + meaning * Math.max(0, cosine(query.vector, vector))) / (1 + meaning)
        : lexical;
      const named = namedOperation(definition.name);
      return { name, score: Math.min(1, fit) * (asked && named && asked !== named ? 1 - SETTINGS.verb : 1) };
    })
    .filter(({ score }) => score >= SETTINGS.floor * Math.min(1, 8 / query.said));
}

function cosine(a: TextVector, b: TextVector | undefined): number {
  if (!b) return 0;
  const length = (values: Int8Array) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  const product = a.values.reduce((sum, value, i) => sum + value * b.values[i]!, 0);
  return product / length(a.values) / length(b.values);
}

const WORDS = [
  'create',
  'list',
  'issue',
  'getHTTPResponse2',
  'delete',
  'file',
  'GitHub',
  'send_message',
  'the',
  'calendar',
  'appointment',
  'provide',
  'tool',
  's3',
  'remove',
  'données',
  '天気予報',
];
const phrase = fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map((words) => words.join(' '));
const anyTool = fc
  .record({
    server: fc.constantFrom('a', 'b', 'github'),
    id: fc.nat(12),
    name: fc.constantFrom(...WORDS),
    text: phrase,
    parameter: fc.constantFrom(...WORDS),
  })
  .map(({ server, id, name, text, parameter }) =>
    withParameters(tool(server, `${name}_${id}`, text), { [parameter]: { description: text } }),
  );
const step = fc.oneof(
  fc.record({ add: anyTool }),
  fc.record({ removeServer: fc.constantFrom('a', 'b', 'github') }),
  fc.record({ removeNth: fc.nat(20) }),
);

describe('search index', () => {
  test('agrees with a naive scorer after any adds and removes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), phrase, (steps, query) => {
        const index = createSearchIndex();
        const model = new Map<string, IndexedTool>();
        for (const each of steps) {
          if ('add' in each) {
            index.add(each.add);
            model.set(each.add.name, each.add);
          } else {
            const names =
              'removeServer' in each
                ? [...model.keys()].filter((name) => model.get(name)!.server === each.removeServer)
                : [...model.keys()].slice(each.removeNth, each.removeNth + 1);
            index.remove(names);
            for (const name of names) model.delete(name);
          }
        }
        expect(index.size).toBe(model.size);
        const { hits, total } = index.search(query, { limit: 1000 });
        const expected = new Map(
          naiveSearch([...model.values()], query).map(({ name, score }) => [name, score]),
        );
        expect(total).toBe(expected.size);
        expect(hits.map(({ name }) => name).sort()).toEqual([...expected.keys()].sort());
        for (const { name, score, repeated = 0 } of hits)
          expect(score + repeated).toBeCloseTo(expected.get(name)!, 9);
        const isDiversified = hits.some(({ repeated }) => repeated !== undefined);
        for (let i = 1; i < hits.length; i++) {
          const [above, hit] = [hits[i - 1]!, hits[i]!];
          expect(
            above.score > hit.score ||
              (above.score === hit.score && (isDiversified || above.name < hit.name)),
          ).toBe(true);
        }
      }),
      { numRuns: cases(300) },
    );
  });

  test('a cut answer is the start of the full answer', () => {
    fc.assert(
      fc.property(
        fc.array(anyTool, { maxLength: 30 }),
        phrase,
        fc.integer({ min: 0, max: 8 }),
        (tools, query, limit) => {
          const index = createSearchIndex();
          for (const each of tools) index.add(each);
          const full = index.search(query, { limit: 1000 });
          const cut = index.search(query, { limit });
          expect(cut.hits).toEqual(full.hits.slice(0, limit));
          expect(cut.total).toBe(full.total);
        },
      ),
    );
  });

  test('the explanation adds up to the score', () => {
    fc.assert(
      fc.property(fc.array(anyTool, { minLength: 1, maxLength: 15 }), phrase, (tools, query) => {
        const index = createSearchIndex();
        for (const each of tools) index.add(each);
        for (const { name, score, repeated = 0 } of index.search(query, { limit: 50 }).hits) {
          const sum = index.explain(query, name).reduce((total, { score }) => total + score, 0);
          expect(sum).toBeCloseTo(score + repeated, 9);
        }
      }),
    );
  });

  const github = [
    withParameters(tool('github', 'create_issue', 'Create a new issue in a repository.'), {
      title: {},
      body: {},
    }),
    tool('github', 'list_issues', 'List the issues of a repository.'),
    tool('github', 'delete_branch', 'Delete a branch.'),
    withParameters(tool('slack', 'post_message', 'Post a message to a channel.'), {
      channel: { description: 'where to post' },
    }),
    tool('files', 'read_text', 'Read a text file. Mentions issue in passing.'),
  ];
  function filled() {
    const index = createSearchIndex();
    for (const each of github) index.add(each);
    return index;
  }

  test('finds the tool that is meant, and a full match scores high', () => {
    const { hits } = filled().search('create issue', { limit: 5 });
    expect(hits[0]!.name).toBe('github:create_issue');
    expect(hits[0]!.score).toBeGreaterThan(0.7);
  });

  test('a weak match looks weak even when it is the best there is', () => {
    const [best] = filled().search('book a flight to Lisbon and reserve the channel', { limit: 5 }).hits;
    expect(best!.score).toBeLessThan(0.35);
  });

  test('nothing fits: an empty answer', () => {
    expect(filled().search('xyzzy', { limit: 5 })).toEqual({ hits: [], total: 0 });
    expect(filled().search('the of and', { limit: 5 })).toEqual({ hits: [], total: 0 });
    expect(filled().search('', { limit: 5 })).toEqual({ hits: [], total: 0 });
  });

  test('what is alike in meaning is found without a word in common', () => {
    const [best] = filled().search('bug report', { limit: 5 }).hits;
    expect(best!.name).toMatch(/^github:.*issue/);
    const why = filled().explain('bug report', best!.name);
    expect(why.map(({ field }) => field)).toContain('meaning');
  });

  test('a word near to one of the query counts, and the reason names both', () => {
    const index = createSearchIndex();
    index.add(tool('office', 'list_appointments', 'List appointments.'));
    index.add(tool('office', 'list_invoices', 'List invoices.'));
    expect(index.search('show meetings', { limit: 2 }).hits[0]!.name).toBe('office:list_appointments');
    const why = index.explain('show meetings', 'office:list_appointments').map(({ term }) => term);
    expect(why).toContain('appoint, like meet');
  });

  test('words that stand together count more than the same words apart', () => {
    const index = createSearchIndex();
    index.add(tool('git', 'review', 'Review a pull request of the team.'));
    index.add(tool('git', 'webhook', 'Review the request that a team may pull.'));
    const [first, second] = index.search('pull request', { limit: 2 }).hits;
    expect(first!.name).toBe('git:review');
    expect(first!.score).toBeGreaterThan(second!.score);
    expect(index.explain('pull request', 'git:review').map(({ term }) => term)).toContain('pull request');
  });

  test('a question is not answered first by a tool that deletes', () => {
    const index = createSearchIndex();
    for (const name of ['delete_branch', 'branch_info']) index.add(tool('git', name, 'Branch.'));
    expect(index.search('which branch', { limit: 2 }).hits[0]!.name).toBe('git:branch_info');
    expect(index.explain('which branch', 'git:delete_branch').at(-1)).toMatchObject({
      term: 'destructive',
      field: 'verb',
    });
  });

  test('a long query still finds something', () => {
    const story = Array.from(
      { length: 300 },
      (_, i) => `word${String.fromCharCode(97 + (i % 26))}${'x'.repeat(i % 7)}`,
    );
    const { hits } = filled().search(`create issue ${story.join(' ')}`, { limit: 1 });
    expect(hits[0]!.name).toBe('github:create_issue');
  });

  test('a query with several needs finds a tool for each before the third best for one', () => {
    const found = (repeat: number) => {
      const index = createSearchIndex({ ...SETTINGS, repeat });
      for (const each of [
        tool('mail', 'send_mail', 'Send a mail with attachments to your colleagues.'),
        tool('mail', 'send_mail_later', 'Send a mail with attachments to your colleagues later.'),
        tool('mail', 'send_mail_again', 'Send a mail with attachments to your colleagues again.'),
        tool('sky', 'forecast', 'Rain and wind of the next days.'),
      ])
        index.add(each);
      const query =
        'send a mail with the attachments to my colleagues in the office, and tell them the forecast';
      return index.search(query, { limit: 4 }).hits;
    };
    expect(found(0).map(({ name }) => name)[3]).toBe('sky:forecast');
    const hits = found(SETTINGS.repeat);
    expect(hits.map(({ name }) => name).slice(0, 2)).toEqual(['mail:send_mail', 'sky:forecast']);
    expect(hits.map(({ repeated = 0 }) => repeated > 0)).toEqual([false, false, true, true]);
  });

  test('how a server introduces itself counts for its tools', () => {
    const index = createSearchIndex();
    const about = aboutServer({ name: 'Acme Payroll', instructions: 'Salaries of employees. More text.' });
    index.add({ ...tool('a', 'get_row', 'Get a row.'), about });
    index.add(tool('b', 'get_row', 'Get a row.'));
    expect(about).toBe('Acme Payroll Salaries of employees.');
    expect(index.search('payroll row', { limit: 2 }).hits[0]!.name).toBe('a:get_row');
    expect(index.explain('payroll', 'a:get_row')).toContainEqual(expect.objectContaining({ field: 'about' }));
  });

  test.each([
    ['天气预报', 'weather:today', '查询某个城市的天气预报'],
    ['発行する請求書', 'billing:create', '請求書を発行します。顧客を選びます。'],
    ['отправить письмо', 'mail:send', 'Отправить письмо получателю'],
    ['enviar correo electronico', 'mail:send', 'Enviar un correo electrónico'],
  ])('%s finds a description in the same language', (query, name, description) => {
    const index = createSearchIndex();
    for (const each of github) index.add(each);
    const [server, own] = name.split(':') as [string, string];
    index.add(tool(server, own, description));
    expect(index.search(query, { limit: 1 }).hits[0]?.name).toBe(name);
  });

  test('filters apply before the cut', () => {
    const { hits, total } = filled().search('issue', {
      limit: 1,
      accept: (name) => name.startsWith('files:'),
    });
    expect(hits.map(({ name }) => name)).toEqual(['files:read_text']);
    expect(total).toBe(1);
  });

  test('replacing a tool forgets its old words', () => {
    const index = filled();
    index.add(tool('github', 'create_issue', 'Something else altogether.'));
    expect(index.size).toBe(github.length);
    const terms = index.explain('repository body', 'github:create_issue').map(({ term }) => term);
    expect(terms.filter((term) => term === 'repositori' || term === 'bodi')).toEqual([]);
  });

  test('names like those of object members are ordinary names', () => {
    const index = createSearchIndex();
    for (const name of ['__proto__', 'constructor', 'toString'])
      index.add(tool('odd', name, 'does something'));
    expect(index.search('constructor', { limit: 3 }).hits[0]!.name).toBe('odd:constructor');
    index.remove(['odd:__proto__', 'odd:constructor', 'odd:toString']);
    expect(index.search('something', { limit: 3 }).total).toBe(0);
  });
});
