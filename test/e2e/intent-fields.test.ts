import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectRefused, type Refusal } from './expect-attempt.ts';
import { CLIENTS } from './mcp-clients.ts';
import { attemptAll, openStage, type Attempt, type Stage } from './stage.ts';

const READ = { intent_operation_type: 'read' };
const EMOJI = '🙂';
const nested = (fields: object) => ({ intent: { operation_type: 'read', ...fields } });
const bad = (message: string, field: string): Refusal => ({
  code: 'INVALID_ARGUMENTS',
  message,
  details: { field },
});
const sensitivity = (shown: string): Refusal => ({
  code: 'INVALID_SENSITIVITY',
  message: `Invalid intent.data_sensitivity '${shown}': must be public, internal, private, or unknown`,
  details: { allowed: ['public', 'internal', 'private', 'unknown'] },
});
const TOO_LONG: Refusal = {
  code: 'REASON_TOO_LONG',
  message: 'intent.reason exceeds maximum length of 1000 characters',
  details: { limit: 1000 },
};
const NO_OBJECT = bad(
  'intent must be an object with operation_type; or use the flat intent_* parameters',
  'intent',
);

/** Intent fields → what is stored, or the refusal. */
const INTENTS: Array<[title: string, intent: object, stored: object | Refusal]> = [
  ['the operation alone', nested({}), { operation_type: 'read' }],
  [
    'everything, nested',
    nested({ data_sensitivity: 'private', reason: 'User record' }),
    { operation_type: 'read', data_sensitivity: 'private', reason: 'User record' },
  ],
  [
    'everything, flat',
    { ...READ, intent_data_sensitivity: 'internal', intent_reason: 'Ünïcode ✓' },
    { operation_type: 'read', data_sensitivity: 'internal', reason: 'Ünïcode ✓' },
  ],
  [
    'empty optional texts',
    { ...READ, intent_data_sensitivity: '', intent_reason: '' },
    { operation_type: 'read' },
  ],
  ['null optional fields', nested({ data_sensitivity: null, reason: null }), { operation_type: 'read' }],
  ['fields that nobody knows', nested({ confidence: 1 }), { operation_type: 'read' }],
  ...['public', 'internal', 'private', 'unknown'].map((level): (typeof INTENTS)[number] => [
    `sensitivity ${level}`,
    nested({ data_sensitivity: level }),
    { operation_type: 'read', data_sensitivity: level },
  ]),
  ['sensitivity secret', nested({ data_sensitivity: 'secret' }), sensitivity('secret')],
  ['sensitivity secret, flat', { ...READ, intent_data_sensitivity: 'secret' }, sensitivity('secret')],
  ['sensitivity in capitals', nested({ data_sensitivity: 'PUBLIC' }), sensitivity('PUBLIC')],
  ['sensitivity as a number', nested({ data_sensitivity: 5 }), sensitivity('5')],
  [
    'a reason of 1000 characters',
    nested({ reason: 'x'.repeat(1000) }),
    { operation_type: 'read', reason: 'x'.repeat(1000) },
  ],
  [
    'a reason of 1000 characters outside the basic plane',
    nested({ reason: EMOJI.repeat(1000) }),
    { operation_type: 'read', reason: EMOJI.repeat(1000) },
  ],
  ['a reason of 1001 characters', nested({ reason: 'x'.repeat(1001) }), TOO_LONG],
  ['a reason of 1001 characters, flat', { ...READ, intent_reason: 'x'.repeat(1001) }, TOO_LONG],
  ['a reason of 1001 emoji', nested({ reason: EMOJI.repeat(1001) }), TOO_LONG],
  ['a reason that is no text', nested({ reason: 5 }), bad('intent.reason must be text', 'reason')],
  ['an intent that is text', { intent: 'read' }, NO_OBJECT],
  ['an intent that is a list', { intent: ['read'] }, NO_OBJECT],
  ['an intent that is text, with flat fields', { intent: 'read', ...READ }, NO_OBJECT],
];

/** Ways of giving arguments → what the upstream gets, or the refusal. */
const ARGUMENTS: Array<[title: string, args: (mark: string) => object, executed: object | Refusal]> = [
  ['args', (mark) => ({ args: { text: mark, n: [1, null, { a: true }] } }), { n: [1, null, { a: true }] }],
  ['args_json', (mark) => ({ args_json: JSON.stringify({ text: mark, n: 1 }) }), { n: 1 }],
  ['args and an empty args_json', (mark) => ({ args: { text: mark }, args_json: '' }), {}],
  ['args_json and args null', (mark) => ({ args_json: JSON.stringify({ text: mark }), args: null }), {}],
  [
    'a key named __proto__',
    (mark) => ({ args_json: `{"text": "${mark}", "__proto__": {"x": 1}, "constructor": 2}` }),
    JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}') as object,
  ],
  [
    'both, different',
    (mark) => ({ args: { text: mark }, args_json: '{}' }),
    bad('give either args or args_json, not both', 'args_json'),
  ],
  [
    'both, the same',
    (mark) => ({ args: { text: mark }, args_json: JSON.stringify({ text: mark }) }),
    bad('give either args or args_json, not both', 'args_json'),
  ],
  [
    'args_json with a list',
    (mark) => ({ args_json: JSON.stringify([mark]) }),
    bad('args_json must hold a JSON object, got an array', 'args_json'),
  ],
  [
    'args_json with text',
    (mark) => ({ args_json: JSON.stringify(mark) }),
    bad('args_json must hold a JSON object, got a string', 'args_json'),
  ],
  ['args_json as an object', (mark) => ({ args_json: { text: mark, n: 1 } }), { n: 1 }],
  [
    'args_json as a list',
    (mark) => ({ args_json: [mark] }),
    bad('args_json must be a string with a JSON object, or the object itself, got an array', 'args_json'),
  ],
  ['args as a list', (mark) => ({ args: [mark] }), bad('args must be an object, got an array', 'args')],
  ['args as text', (mark) => ({ args: mark }), bad('args must be an object, got a string', 'args')],
  [
    'args_json 10,000 deep',
    (mark) => ({ args_json: `{"text":"${mark}","a":${'['.repeat(10_000)}${']'.repeat(10_000)}}` }),
    {
      code: 'TOO_DEEP',
      message: 'args_json is nested deeper than 64 levels',
      details: { field: 'args_json', limit: 64 },
    },
  ],
];

const isRefusal = (value: object): value is Refusal => 'code' in value && 'message' in value;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.dispose());

/** The same call by every client. */
const byEveryClient = (input: (mark: string) => Record<string, unknown>): Promise<Attempt[]> =>
  attemptAll(
    stage,
    CLIENTS.map((client) => ({ client, variant: 'call_tool_read' as const, input })),
  );

describe('intent fields: stored as given, nothing more, or refused', () => {
  test.each(INTENTS)('%s', async (_, intent, expected) => {
    const input = (mark: string) => ({ name: 'up:read_only', args: { text: mark }, ...intent });
    for (const attempt of await byEveryClient(input)) {
      if (isRefusal(expected)) {
        const { metadata } = expectRefused(attempt, expected);
        expect(Array.from(metadata.intent?.reason ?? '').length).toBeLessThanOrEqual(1000);
      } else {
        expect(attempt.executions).toBe(1);
        expect(attempt.records.map(({ metadata }) => metadata.intent)).toEqual([expected]);
        expect(attempt.records[0]!.metadata.tool_variant).toBe('call_tool_read');
      }
    }
  });
});

describe('arguments: as an object or as JSON text, never both', () => {
  test.each(ARGUMENTS)('%s', async (_, args, expected) => {
    const input = (mark: string) => ({ name: 'up:read_only', ...READ, ...args(mark) });
    for (const attempt of await byEveryClient(input)) {
      if (isRefusal(expected)) {
        expectRefused(attempt, expected);
        continue;
      }
      expect(attempt.executions).toBe(1);
      const ran = stage.executions().find(({ args }) => args.text === attempt.mark);
      expect(JSON.stringify(ran!.args)).toBe(JSON.stringify({ text: attempt.mark, ...expected }));
    }
  });

  test('args_json that is not JSON says where', async () => {
    const input = (mark: string) => ({ name: 'up:read_only', ...READ, args_json: `{"text": "${mark}"` });
    for (const { result, executions, records } of await byEveryClient(input)) {
      expect(result.isError).toBe(true);
      expect(result.content?.[0]?.text).toMatch(/^args_json is not valid JSON: .*position \d+/);
      expect(executions).toBe(0);
      expect(records.map(({ status, error_code }) => [status, error_code])).toEqual([
        ['refused', 'INVALID_ARGUMENTS'],
      ]);
    }
  });
});
