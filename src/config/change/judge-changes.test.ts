import { describe, expect, test } from 'vitest';
import { flattenConfig } from '../diff-config.ts';
import { configJsonSchema, parseConfig } from '../parse.ts';
import { EFFECTS } from './effects.ts';
import { judgeChanges, recordedChange } from './judge-changes.ts';

const flat = (config: unknown) => flattenConfig(parseConfig(JSON.stringify(config), 'f'), 'salt');
const judged = (before: unknown, after: unknown) =>
  judgeChanges(flat(before), flat(after)).map(recordedChange);
/** "path effect" of each change. */
const effects = (before: unknown, after: unknown) =>
  judged(before, after).map(({ path, effect }) => `${path} ${effect}`);
const effect = (before: unknown, after: unknown) =>
  judged(before, after).some((change) => change.effect === 'weakening')
    ? 'weakening'
    : (judged(before, after)[0]?.effect ?? 'same');
const server = (more: object) => ({ mcpServers: { a: { command: 'x', ...more } } });
const asking = (features: object) => server({ client_features: features });
const remote = (more: object) => ({ mcpServers: { a: { url: 'https://h/mcp', ...more } } });
const tool = (more: object) => server({ tools: { t: more } });

interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  type?: string;
}

/** The settings of a schema by their path; `*` is any name. */
function leaves(schema: Schema, at = ''): string[] {
  if (schema.properties)
    return Object.entries(schema.properties).flatMap(([key, value]) =>
      leaves(value, at === '' ? key : `${at}.${key}`),
    );
  if (typeof schema.additionalProperties === 'object') return leaves(schema.additionalProperties, `${at}.*`);
  const entries = schema.anyOf?.find((each) => typeof each.additionalProperties === 'object');
  return entries ? leaves(entries, at) : [at];
}

test('every setting of the schema says which change of it weakens the protection', () => {
  const known = Object.keys(EFFECTS).map((pattern) => new RegExp(`^${patternText(pattern)}$`));
  const settings = leaves(configJsonSchema());
  expect(settings).toContain('mcpServers.*.tools.*.operation');
  expect(settings.filter((setting) => !known.some((each) => each.test(setting)))).toEqual([]);
});

const patternText = (pattern: string) => pattern.replace(/[.$]/g, '\\$&').replaceAll('*', '(?:\\*|[a-z_]+)');

type Case = [what: string, before: unknown, after: unknown];
const strict = { confirm_weakening: true };
const key = (text: string) => ({ api_key: text.repeat(16) });

const WEAKENING: Case[] = [
  ['a verdict', tool({ operation: 'destructive' }), tool({ operation: 'write' })],
  ['the same by one more step', tool({ operation: 'write' }), tool({ operation: 'read' })],
  ['a tool that is switched on', tool({ enabled: false }), tool({ enabled: true })],
  ['a server that is switched on', server({ enabled: false }), server({})],
  ['quarantine', { quarantine: 'new' }, { quarantine: 'changed' }],
  ['the scanner', { scanner: 'warn' }, { scanner: 'off' }],
  ['direct mode', {}, { mode: 'direct' }],
  ['destructive tools in direct mode', { direct: { destructive: 'variants' } }, {}],
  ['the scan of results', { scan_results: 'warn' }, {}],
  ['flows', { flows: 'ask' }, {}],
  ['a rule that is removed', { approvals: { require: ['destructive'] } }, {}],
  ['decisions in the client', {}, { approvals: { in_client: true } }],
  ['a longer use of approvals', {}, { approvals: { ttl: '1h' } }],
  ['a delete that waits longer for its yes', {}, { assistant: { confirmation_ttl: '1h' } }],
  ['more pending requests', {}, { approvals: { max_pending_per_caller: 1000 } }],
  ['calls at once', {}, { limits: { calls: 1000 } }],
  ['calls of a client', {}, { limits: { calls_per_client: 5000 } }],
  ['calls that wait', {}, { limits: { queue: 5000 } }],
  ['connections', {}, { limits: { connections: 9_999 } }],
  ['requests of a client', {}, { limits: { requests_per_second: 9_999 } }],
  ['log bytes of a client', {}, { limits: { log_mb_per_hour: 9_999 } }],
  [
    'a longer use of approvals of one operation',
    { approvals: { ttl_by_operation: { write: '1h' } } },
    { approvals: { ttl_by_operation: { write: '2h' } } },
  ],
  ['a time-out of a server', server({ timeout: '10s' }), server({ timeout: '10m' })],
  ['the time to connect', remote({ connect_timeout: '1s' }), remote({ connect_timeout: '1m' })],
  ['the time without an answer', remote({ idle_timeout: '1s' }), remote({ idle_timeout: '1m' })],
  ['a time-out', {}, { call_timeout: '10m' }],
  ['concurrency of a server', server({}), server({ concurrency: 33 })],
  ['the model of clients', asking({}), asking({ sampling: 'allow' })],
  ['questions to people', asking({ elicitation: 'deny' }), asking({})],
  ['the time for an answer', asking({}), asking({ answer_timeout: '9m' })],
  ['sampling within a call', asking({}), asking({ sampling_per_call: 11 })],
  ['sampling per minute', asking({}), asking({ sampling_per_minute: 31 })],
  ['tokens of sampling', asking({}), asking({ sampling_max_tokens: 9_000 })],
  ['questions within a call', asking({}), asking({ questions_per_call: 21 })],
  ['a connection that clients share', server({}), server({ sharing: 'shared' })],
  ['connections of clients', server({}), server({ client_connections: 17 })],
  ['retention', {}, { activity: { retention_days: 1 } }],
  ['the time for which changes stay', {}, { activity: { keep_changes_days: 1 } }],
  ['the number of records', {}, { activity: { max_records: 100 } }],
  ['the size of the log', {}, { activity: { max_size_mb: 10 } }],
  ['arguments in a record', {}, { activity: { max_arguments_bytes: 0 } }],
  ['responses in a record', {}, { activity: { max_response_bytes: 0 } }],
  ['reads without a record', {}, { activity: { when_unavailable: 'allow_reads' } }],
  ['an open endpoint', {}, { require_mcp_auth: false }],
  ['another host name', {}, { allowed_hosts: ['h'] }],
  ['a trusted proxy', {}, { trusted_proxies: ['192.0.2.1'] }],
  ['a variable for servers', {}, { inherit_env: ['A'] }],
  ['an address beyond loopback', {}, { listen: '0.0.0.0:8080' }],
  ['unchecked arguments', {}, { validate_arguments: false }],
  ['warnings in place of refusals', {}, { intent_declaration: { strict_server_validation: false } }],
  ['an inferred operation', {}, { intent_declaration: { operation_type: 'inferred' } }],
  ['trust in tools without hints', { intent_declaration: { unannotated: 'infer' } }, {}],
  ['the confirmation itself', strict, {}],
];

/** Another value weakens, in whichever direction. */
const EITHER_WAY: Case[] = [
  ['a public address', {}, { public_url: 'https://h.example.com' }],
  [
    'another public address',
    { public_url: 'https://h.example.com' },
    { public_url: 'https://i.example.com' },
  ],
  ['the key of the operator', key('a'), key('b')],
  ['a key where none was set', {}, key('a')],
  ['the database', {}, { database_url: 'sqlite:other.db' }],
  ['the place of the settings', {}, { config_source: 'file' }],
  ['the data directory', {}, { data_dir: '/tmp/other' }],
  ['the program that notifies', {}, { approvals: { notify: ['x'] } }],
  ['a witness that is a file', {}, { activity: { witness: [{ file: '/w' }] } }],
  ['a witness that is a program', {}, { activity: { witness: [{ command: ['x', '--token', 'a'] }] } }],
  [
    'only a secret of a witness',
    { activity: { witness: [{ url: 'https://h/?to=a' }] } },
    { activity: { witness: [{ url: 'https://h/?to=b' }] } },
  ],
  ['the program of a server', server({}), { mcpServers: { a: { command: 'y' } } }],
  ['its arguments', server({ args: ['--read-only'] }), server({})],
  ['only a secret in them', server({ args: ['--token', 'a'] }), server({ args: ['--token', 'b'] })],
  ['its environment', server({ env: { A: '1' } }), server({ env: { A: '2' } })],
  ['the file of its environment', server({}), server({ env_file: '/tmp/env' })],
  ['its directory', server({}), server({ cwd: '/tmp' })],
  ['its transport', remote({ type: 'http' }), remote({ type: 'sse' })],
  ['the address of a server', remote({}), { mcpServers: { a: { url: 'https://other/mcp' } } }],
  ['its log-in', remote({}), remote({ oauth: false })],
  ['its issuer', remote({ oauth: { issuer: 'https://a' } }), remote({ oauth: { issuer: 'https://b' } })],
  [
    'the metadata of the client',
    { oauth: { client_metadata_url: 'https://a/x' } },
    { oauth: { client_metadata_url: 'https://b/x' } },
  ],
  ['the roots of clients', asking({}), asking({ roots: 'ask' })],
  ['its headers', remote({ headers: { X: 'a' } }), remote({ headers: { X: 'b' } })],
  ['a program in place of an address', remote({}), server({})],
];

const NEUTRAL: Case[] = [
  ['a schema', {}, { $schema: './schema.json' }],
  ['how long a caller waits', {}, { approvals: { wait: '1s' } }],
  ['how long one program waits', {}, { approvals: { wait_by_client: { bot: '1s' } } }],
  [
    'how long the same program waits',
    { approvals: { wait_by_client: { bot: '1s' } } },
    { approvals: { wait_by_client: { bot: '9m' } } },
  ],
  ['the time to start', server({}), server({ startup_timeout: '9m' })],
  ['the detail of search results', {}, { tools: { detail: 'compact' } }],
  ['the time before a stop', {}, { drain_delay: '5s' }],
  ['the number of processes', {}, { workers: 4 }],
  ['the size of the menu', {}, { direct: { max_menu_tokens: 5_000 } }],
  ['log messages', asking({}), asking({ logging: 'deny' })],
  ['idle connections of clients', server({}), server({ client_idle: '1m' })],
  ['a description', server({}), server({ description: 'd' })],
  ['a port', {}, { listen: '127.0.0.1:9' }],
  ['another name of loopback', {}, { listen: 'localhost:8080' }],
  ['the size of search results', {}, { tools: { limit: 3 } }],
  ['an object without entries', server({}), server({ env: {}, tools: { t: {} } })],
];

describe('what a change does to the protection', () => {
  test.each(WEAKENING)('it weakens, and its reverse tightens: %s', (_, before, after) => {
    expect([effect(before, after), effect(after, before)]).toEqual(['weakening', 'tightening']);
  });
  test.each(EITHER_WAY)('it weakens in both directions: %s', (_, before, after) => {
    expect([effect(before, after), effect(after, before)]).toEqual(['weakening', 'weakening']);
  });
  test.each(NEUTRAL)('it is neutral: %s', (_, before, after) => {
    expect([effect(before, after), effect(after, before)]).toEqual(['neutral', 'neutral']);
  });

  test('each setting is changed alone by one of these cases', () => {
    const alone = [...WEAKENING, ...EITHER_WAY, ...NEUTRAL].flatMap(([, before, after]) => {
      const changes = judgeChanges(flat(before), flat(after));
      return changes.length === 1 ? [changes[0]!.setting] : [];
    });
    const missing = Object.keys(EFFECTS).filter(
      (pattern) => !alone.some((setting) => new RegExp(`^${patternText(pattern)}$`, 'i').test(setting)),
    );
    // Derived from the name of a server, which no edit changes alone.
    expect(missing).toEqual(['mcpServers.*.title']);
  });
});

test('a new server weakens, a removed one tightens with all its settings', () => {
  expect(effects({}, { mcpServers: { broken: { comand: 'x' } } })).toEqual(['/mcpServers/broken neutral']);
  const added = server({ args: ['y'], tools: { t: { operation: 'destructive', enabled: false } } });
  expect(effects({}, added)).toEqual([
    '/mcpServers/a/args weakening',
    '/mcpServers/a/command weakening',
    '/mcpServers/a/tools/t/enabled tightening',
    '/mcpServers/a/tools/t/operation tightening',
  ]);
  expect(new Set(judged(added, {}).map((change) => change.effect))).toEqual(new Set(['tightening']));
});

test('a verdict without an earlier one may weaken the hints, and so may its removal', () => {
  expect(effect(server({}), tool({ operation: 'read' }))).toBe('weakening');
  expect(effect(server({}), tool({ operation: 'write' }))).toBe('weakening');
  expect(effect(server({}), tool({ operation: 'destructive' }))).toBe('tightening');
  expect(effect(tool({ operation: 'destructive' }), server({}))).toBe('weakening');
});

describe('rules of the approval policy', () => {
  const rules = (...require: unknown[]) => ({ approvals: { require } });
  const refuse = { match: { server: 'billing' }, action: 'refuse' };
  const allow = { match: { client: 'token:ci' }, action: 'allow' };
  test.each<[what: string, [before: unknown, after: unknown], wanted: string]>([
    ['one more question', [rules('destructive'), rules('destructive', 'write')], 'tightening'],
    ['one more question first', [rules('destructive'), rules('a:b', 'destructive')], 'tightening'],
    ['one more refusal', [rules('destructive'), rules(refuse, 'destructive')], 'tightening'],
    ['a question before a refusal', [rules(refuse), rules('server:billing', refuse)], 'weakening'],
    ['a rule that allows', [rules('destructive'), rules(allow, 'destructive')], 'weakening'],
    ['another order', [rules(refuse, 'write'), rules('write', refuse)], 'weakening'],
    ['a narrower rule', [rules('write'), rules('destructive')], 'weakening'],
  ])('%s', (_, [before, after], wanted) => {
    expect(effect(before, after)).toBe(wanted);
  });
});

test('a change is recorded by its JSON pointer, without the values of secrets', () => {
  const before = server({ env: { T: 'CANARY-1' }, tools: { 'a.b/c~d': { enabled: false } } });
  const after = server({ env: { T: 'CANARY-2' }, tools: { 'a.b/c~d': { enabled: true } } });
  expect(judged(before, after)).toEqual([
    { path: '/mcpServers/a/env/T', change: 'changed', effect: 'weakening' },
    {
      path: '/mcpServers/a/tools/a.b~1c~0d/enabled',
      change: 'changed',
      before: false,
      after: true,
      effect: 'weakening',
    },
  ]);
});

test('a setting that the table does not know counts as weakening', () => {
  const [change] = judgeChanges({ added_later: { shown: 1 } }, { added_later: { shown: 2 } });
  expect(change).toMatchObject({ effect: 'weakening' });
});
