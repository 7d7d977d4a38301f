import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cases } from '../../test/fixtures/cases.ts';
import { draft, eachLog, openTestLog, type TestLog } from '../../test/fixtures/activity-log.ts';
import {
  recordFilter,
  type ActivityRecord,
  type ClauseField,
  type RecordFilter,
} from '../contract/activity.ts';
import { wordsOf } from './query/words.ts';
import type { OpenRecord } from './record/record.ts';

let log: TestLog;

const listAll = async (filter: RecordFilter = {}) =>
  (await log.activity.list(filter, { limit: 100 })).records;
async function exported(filter: RecordFilter = {}): Promise<ActivityRecord[]> {
  const records: ActivityRecord[] = [];
  for await (const record of log.activity.export(filter)) records.push(record);
  return records;
}

/** The filter as a reader of the documentation would apply it, one record at a time. */
function naive(record: ActivityRecord, { clauses = [], ...filter }: RecordFilter): boolean {
  const text = [
    record.tool_name,
    record.metadata.intent?.reason,
    record.error_code,
    record.error_message,
    JSON.stringify(record.arguments),
  ].join(' ');
  const isMatch = Object.entries(filter).every(([name, value]) => {
    const matches = NAIVE[name as keyof typeof NAIVE];
    return value === undefined || matches(record, value, text);
  });
  return (
    isMatch &&
    clauses.every(
      ({ field, values, exclude }) => values.some((value) => NAIVE_CLAUSES[field](record, value)) !== exclude,
    )
  );
}

type NaiveTest = (record: ActivityRecord, value: string, text: string) => boolean;
const NAIVE = {
  type: (record, value) => record.type === value,
  server: (record, value) => record.server_name === value,
  tool: ({ server_name: server, tool_name: tool }, value) => tool === value || `${server}:${tool}` === value,
  status: (record, value) => record.status === value,
  intent_type: (record, value) => record.operation_type === value,
  session_id: (record, value) => record.session_id === value,
  request_id: (record, value) => record.request_id === value,
  conversation_id: (record, value) => record.conversation_id === value,
  start_time: (record, value) => Date.parse(record.timestamp) >= Date.parse(value),
  end_time: (record, value) => Date.parse(record.timestamp) <= Date.parse(value),
  q: (_, value, text) => holds(wordsOf(text), [...wordsOf(value)]),
} satisfies Partial<Record<keyof RecordFilter, NaiveTest>>;

const NAIVE_CLAUSES = {
  agent: (record, value) => record.principal === value,
  client: ({ client }, value) => client === value || client?.split('/')[0] === value,
  server: NAIVE.server,
  tool: NAIVE.tool,
  op: NAIVE.intent_type,
  status: NAIVE.status,
  code: (record, value) => record.error_code === value,
  type: NAIVE.type,
  session: NAIVE.session_id,
  request: NAIVE.request_id,
  conversation: NAIVE.conversation_id,
  approval: () => false,
  decider: () => false,
  secret: ({ metadata }, value) => hasKind(metadata.secrets_sent, value),
  received_secret: ({ metadata }, value) => hasKind(metadata.secrets_received, value),
} satisfies Record<ClauseField, (record: ActivityRecord, value: string) => boolean>;

function hasKind(kinds: string[] = [], wanted: string): boolean {
  return wanted === 'any' ? kinds.length > 0 : kinds.includes(wanted);
}

/** Who asks for no word at all finds nothing. */
const holds = (text: Set<string>, words: string[]) =>
  words.length > 0 && words.every((word) => text.has(word));

function naiveBreakdown(records: ActivityRecord[]) {
  const counts = (values: Array<string | undefined>) =>
    [...new Set(values)]
      .filter((value) => value !== undefined)
      .map((value) => ({ value, count: values.filter((each) => each === value).length }))
      .sort((x, y) => y.count - x.count || (x.value < y.value ? -1 : 1));
  return {
    counted: records.length,
    complete: true,
    fields: {
      agent: counts(records.map(({ principal }) => principal)),
      client: counts(records.map(({ client }) => client)),
      server: counts(records.map(({ server_name: server }) => server)),
      status: counts(records.map(({ status }) => status)),
      op: counts(records.map(({ operation_type: operation }) => operation)),
      code: counts(records.map(({ error_code: code }) => code)),
      secret: counts(records.flatMap(({ metadata }) => metadata.secrets_sent ?? [])),
      received_secret: counts(records.flatMap(({ metadata }) => metadata.secrets_received ?? [])),
    },
    flows: naiveFlows(records),
  };
}

function naiveFlows(records: ActivityRecord[]) {
  const calls = records
    .filter(({ type, server_name: server, tool_name: tool }) => type === 'tool_call' && server && tool)
    .map(
      ({
        principal: agent = 'unknown',
        server_name: server,
        tool_name: tool,
        status,
        operation_type: op,
      }) => ({
        flow: { agent, server, tool, ...(op && { op }) },
        isStopped: ['refused', 'denied', 'expired'].includes(status),
      }),
    );
  const keyOf = ({ flow }: (typeof calls)[number]) =>
    [flow.agent, flow.server, flow.tool, flow.op ?? ''].join('\n');
  const keys = [...new Set(calls.map(keyOf))];
  return keys
    .map((key) => [key, calls.filter((made) => keyOf(made) === key)] as const)
    .sort(([a, { length: n }], [b, { length: m }]) => m - n || (a < b ? -1 : 1))
    .map(([, same]) => ({
      ...same[0]!.flow,
      calls: same.length,
      stopped: same.filter(({ isStopped }) => isStopped).length,
    }));
}

const START = Date.parse('2026-03-01T12:00:00.000Z');
const maybe = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });
const recordArb = fc.record({
  type: fc.constantFrom('tool_call', 'tool_call', 'discovery', 'config_change'),
  server: maybe(['files', 'git', 'a']),
  tool: maybe(['read_file', 'push', 'b:c', 'c']),
  status: fc.constantFrom('success', 'success', 'error', 'refused', 'unknown', undefined),
  operation: maybe(['read', 'write', 'destructive'] as const),
  session: maybe(['s1', 's2', 'a"b*']),
  request: fc.constantFrom('r1', 'r2', 'R1'),
  conversation: maybe(['c1', 'c2']),
  principal: maybe(['token:"x"', 'operator']),
  client: maybe(['cursor/1.0', 'cursor/2.0', 'other']),
  words: fc.array(fc.constantFrom('alpha', 'Beta', 'gamma_delta', 'Öl', '東京', 'x-1'), { maxLength: 3 }),
  secret: maybe(['password', 'cookie']),
  received: maybe(['password', 'api_key']),
  reason: maybe(['because alpha', 'tidy "up" NOT beta']),
  /** The clock may also go back. */
  step: fc.constantFrom(0, 0, 1, 900, 60_000, 3_600_000, -5000),
});
type Made = typeof recordArb extends fc.Arbitrary<infer T> ? T : never;
const clauseArb = (field: ClauseField, ...values: string[]) =>
  fc.record({
    field: fc.constant(field),
    values: fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }),
    exclude: fc.boolean(),
  });
const filterArb = fc.record(
  {
    type: fc.constantFrom('tool_call', 'discovery'),
    server: fc.constantFrom('files', 'git', 'a', 'nobody'),
    tool: fc.constantFrom('read_file', 'files:read_file', 'b:c', 'a:b:c', 'nothing'),
    status: fc.constantFrom('success', 'error', 'refused', 'pending', 'unknown'),
    intent_type: fc.constantFrom('read', 'write', 'destructive'),
    session_id: fc.constantFrom('s1', 's2', 'a"b*'),
    request_id: fc.constantFrom('r1', 'r2', 'R1'),
    conversation_id: fc.constantFrom('c1', 'c2'),
    start_time: fc
      .integer({ min: -10, max: 200 })
      .map((minutes) => new Date(START + minutes * 60_000).toISOString()),
    end_time: fc
      .integer({ min: -10, max: 400 })
      .map((minutes) => new Date(START + minutes * 60_000).toISOString()),
    q: fc.constantFrom(
      'alpha',
      'beta',
      'gamma delta',
      'delta',
      'Öl',
      '東',
      'NOT beta',
      'al*',
      '"',
      'alpha AND',
      'up tidy',
    ),
    clauses: fc.array(
      fc.oneof(
        clauseArb('server', 'files', 'git', 'a', 'nobody'),
        clauseArb('tool', 'read_file', 'files:read_file', 'b:c', 'nothing'),
        clauseArb('op', 'read', 'write', 'destructive'),
        clauseArb('status', 'success', 'error', 'refused', 'pending'),
        clauseArb('type', 'tool_call', 'discovery'),
        clauseArb('session', 's1', 's2', 'a"b*'),
        clauseArb('request', 'r1', 'R1'),
        clauseArb('agent', 'token:"x"', 'operator'),
        clauseArb('client', 'cursor', 'cursor/2.0', 'other'),
        clauseArb('code', 'E1', 'E2'),
        clauseArb('secret', 'any', 'password', 'cookie'),
        clauseArb('received_secret', 'any', 'password', 'api-key'),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<RecordFilter>;

const secretUnder = (name: string | undefined) => (name === undefined ? {} : { [name]: 'hunter2' });

async function write(made: Made): Promise<void> {
  log.clock.time += made.step;
  const record = log.activity.open({
    type: made.type,
    source: 'mcp',
    ...(made.server && { server_name: made.server }),
    ...(made.tool && { tool_name: made.tool }),
    arguments: { text: made.words.join(' '), ...secretUnder(made.secret) },
    request_id: made.request,
    ...(made.session && { session_id: made.session }),
    ...(made.conversation && { conversation_id: made.conversation }),
    ...(made.operation && { operation_type: made.operation }),
    ...(made.client && { client: made.client }),
    metadata: {
      ...(made.principal && { principal: made.principal }),
      ...(made.reason && { intent: { reason: made.reason } }),
    },
  });
  await end(record, made);
}

/** Some are committed while open, some with their end, some stay open. */
async function end(record: OpenRecord, made: Made): Promise<void> {
  if (made.words.length === 1) await record.durable();
  if (made.status)
    await record.close({
      status: made.status,
      ...(made.received && { response: { [made.received]: 'hunter3' } }),
      ...(made.status === 'error' && { error_message: 'gamma failed', error_code: 'E1' }),
    });
  else await record.durable();
}

eachLog('activity', (open, engine) => {
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.remove());

  test('FR-033, FR-039: list and export equal a naive filter over all records, page by page, while records arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          before: fc.array(recordArb, { minLength: 1, maxLength: 60 }),
          filters: fc.array(filterArb, { minLength: 1, maxLength: 8 }),
          arriving: fc.array(recordArb, { minLength: 1, maxLength: 5 }),
          limit: fc.integer({ min: 1, max: 7 }),
        }),
        async ({ before, filters, arriving, limit }) => {
          await log.remove();
          log = await open();
          for (const [index, made] of before.entries()) {
            await write(made);
            // Part of the records is in the text index, part is not yet.
            if (index === 20) await log.activity.list({ q: 'x' }, { limit: 1 });
          }
          const everything = await exported();
          expect(everything).toHaveLength(before.length);
          const extra = [...arriving];
          for (const filter of filters) {
            const expected = everything.filter((record) => naive(record, filter)).reverse();
            const now = (await exported()).filter((record) => naive(record, filter));
            expect((await exported(filter)).map(({ id }) => id)).toEqual(now.map(({ id }) => id));

            const first = await log.activity.list(filter, { limit });
            expect(first.total).toBe(now.length);
            const breakdown = await log.activity.breakdown(filter, { buckets: 10, flows: true });
            expect(breakdown).toMatchObject(naiveBreakdown(now));
            expect(breakdown.series.points.reduce((sum, { total }) => sum + total, 0)).toBe(now.length);
            const seen = [...first.records];
            for (let cursor = first.next_cursor; cursor !== null;) {
              const made = extra.pop();
              if (made) await write(made);
              const page = await log.activity.list(filter, { limit, cursor });
              seen.push(...page.records);
              cursor = page.next_cursor;
            }
            const known = new Set(everything.map(({ id }) => id));
            expect(seen.filter(({ id }) => known.has(id))).toEqual(expected);
            expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
          }
        },
      ),
      { numRuns: cases(engine === 'sqlite' ? 50 : 20) },
    );
  });

  test('FR-031, FR-032: one call is one record, opened as pending and closed with its outcome', async () => {
    const record = log.activity.open(draft({ session_id: 's1', client: 'tester 1' }));
    await record.durable();
    expect(await log.activity.get(record.id)).toMatchObject({
      id: record.id,
      status: 'pending',
      session_id: 's1',
      client: 'tester 1',
    });

    await record.close({ status: 'success', response: { content: [] }, metadata: { warnings: ['careful'] } });
    await record.close({ status: 'error' });
    const [stored, ...others] = await listAll();
    expect(others).toEqual([]);
    expect(stored).toMatchObject({
      status: 'success',
      server_name: 'files',
      tool_name: 'read_file',
      operation_type: 'read',
      arguments: { path: '/tmp/a' },
      response: { content: [] },
      response_truncated: false,
      timestamp: '2026-03-01T12:00:00.000Z',
      metadata: { tool_variant: 'call_tool_read', intent: { operation_type: 'read' }, warnings: ['careful'] },
    });
    expect(stored!.duration_ms).toBeGreaterThanOrEqual(0);
    expect(stored!.id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  test('the kinds of secrets that a call has sent and received are in its record, and filters find them', async () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const leaking = log.activity.open(draft({ arguments: { text: `use ${token}`, password: 'hunter2' } }));
    await leaking.durable();
    await leaking.close({ status: 'success', response: { content: [{ type: 'text', text: 'fine' }] } });
    const reading = log.activity.open(draft({ arguments: { data: 'A'.repeat(5000) } }));
    await reading.durable();
    await log.activity.list({ q: 'x' }, { limit: 1 });
    await reading.close({ status: 'success', response: { text: 'password=hunter3' } });
    await log.activity
      .open(draft({ arguments: { text: '"secrets_sent":["jwt"]' } }))
      .close({ status: 'success' });

    const found = async (filter: string) =>
      (await listAll(recordFilter({ filter }, log.clock.time))).map(({ id }) => id);
    expect((await log.activity.get(leaking.id))!.metadata).toMatchObject({
      secrets_sent: ['github-token', 'password'],
    });
    expect((await log.activity.get(leaking.id))!.metadata.secrets_received).toBeUndefined();
    // Data that is masked for its size is no secret.
    expect((await log.activity.get(reading.id))!.metadata).toMatchObject({ secrets_received: ['password'] });
    expect((await log.activity.get(reading.id))!.metadata.secrets_sent).toBeUndefined();
    expect(await found('secret:any')).toEqual([leaking.id]);
    expect(await found('secret:github-token server:files')).toEqual([leaking.id]);
    expect(await found('secret:jwt')).toEqual([]);
    expect(await found('received_secret:password')).toEqual([reading.id]);
    expect(await found('-secret:any')).not.toContain(leaking.id);
    const { fields } = await log.activity.breakdown({}, { buckets: 10 });
    expect(fields.secret).toEqual([
      { value: 'github-token', count: 1 },
      { value: 'password', count: 1 },
    ]);
    expect(fields.received_secret).toEqual([{ value: 'password', count: 1 }]);
    const redacted = await log.activity.redact(leaking.id, { by: 'operator' });
    expect(redacted!.metadata.secrets_sent).toBeUndefined();
  });

  test('a read that ends before the next commit costs one insert and one entry', async () => {
    const [start] = await log.activity.facts.heads();
    const record = log.activity.open(draft());
    await record.close({ status: 'success' });
    const facts = await log.activity.facts.after(start!, 10);
    expect(facts.map(({ kind, id }) => [kind, id])).toEqual([['closed', record.id]]);
  });

  test('an id is found at once, also when only an event has told of it; others are not', async () => {
    const record = log.activity.open(draft());
    expect((await log.activity.get(record.id))?.id).toBe(record.id);
    expect(
      await log.activity.get(`${record.id.slice(0, -1)}${record.id.endsWith('0') ? '1' : '0'}`),
    ).toBeUndefined();
    for (const id of ['', 'nonsense', '../../etc', 'Z'.repeat(26)])
      expect(await log.activity.get(id)).toBeUndefined();
  });

  test('records that a dead process left open are closed as unknown', async () => {
    const abandoned = log.activity.open(draft({ arguments: { word: 'needle' } }));
    await abandoned.durable();
    await log.activity.open(draft()).close({ status: 'success' });
    await log.activity.list({ q: 'needle' }, { limit: 1 });
    await log.restart();
    expect(await log.activity.get(abandoned.id)).toMatchObject({
      status: 'unknown',
      error_code: 'OUTCOME_UNKNOWN',
      error_message: expect.stringContaining('not known'),
    });
    expect(await log.activity.list({ status: 'pending' }, { limit: 10 })).toMatchObject({
      total: 0,
      records: [],
    });
    expect(await log.activity.list({ status: 'unknown', q: 'needle' }, { limit: 10 })).toMatchObject({
      total: 1,
      records: [{ id: abandoned.id }],
    });
  });

  test('summary and stats count by period without the records that are older', async () => {
    const call = async (status: 'success' | 'refused', tool: string) =>
      log.activity
        .open(draft({ tool_name: tool, operation_type: status === 'refused' ? 'destructive' : 'read' }))
        .close({ status });
    await call('success', 'old');
    log.clock.time += 3 * 86_400_000;
    await call('success', 'a');
    await call('refused', 'a');
    log.clock.time += 2 * 3_600_000;
    await call('success', 'b');

    expect(await log.activity.summary('all')).toMatchObject({
      total: 4,
      start_time: null,
      by_status: { success: 3, refused: 1 },
      by_server: { files: 4 },
    });
    expect(await log.activity.summary('24h')).toMatchObject({
      total: 3,
      by_operation: { read: 2, destructive: 1 },
      by_tool: { 'files:a': 2, 'files:b': 1 },
      start_time: '2026-03-03T14:00:00.000Z',
      end_time: '2026-03-04T14:00:00.000Z',
    });
    const [named] = Object.entries((await log.activity.summary('all')).by_tool);
    const { by_tool: few } = await log.activity.summary('all', { names: 1 });
    const none = await log.activity.summary('all', { type: 'discovery' });
    expect([none.total, (await log.activity.summary('all', { type: 'tool_call' })).total]).toEqual([0, 4]);
    expect(Object.keys(few)).toEqual([named![0], '(other)']);
    expect(await log.activity.summary('1h')).toMatchObject({ total: 1 });
    expect(await log.activity.stats()).toEqual({ records: 4, last_24h: 3, refused_24h: 1 });
    await log.restart();
    expect(await log.activity.stats()).toEqual({ records: 4, last_24h: 3, refused_24h: 1 });
  });

  test('a cursor that is not ours is refused', async () => {
    for (const cursor of ['', 'x', 'YTEu', Buffer.from('a1.zzzzzzzzzzz').toString('base64url')]) {
      await expect(log.activity.list({}, { limit: 1, cursor })).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
      });
    }
  });

  test('a caller who invents tool names fills neither the memory nor the list of tools', async () => {
    const invented = Array.from({ length: 3000 }, (_, index) =>
      log.activity
        .open(draft({ server_name: `s${index}`, tool_name: `t${index}` }))
        .close({ status: 'refused', error_code: 'TOOL_NOT_FOUND' }),
    );
    await Promise.all(invented);
    await log.activity.open(draft({ tool_name: 'real' })).close({ status: 'success' });
    const [facets] = await log.sql<{ n: number }>('SELECT count(*) AS n FROM activity_facet');
    expect(facets!.n).toBeLessThan(1100);
    for (const name of ['t2999', 's2999:t2999']) {
      expect(await log.activity.list({ tool: name }, { limit: 5 })).toMatchObject({
        total: 1,
        records: [{ server_name: 's2999', tool_name: 't2999' }],
      });
    }
    expect(await log.activity.list({ server: 's2500', status: 'refused' }, { limit: 5 })).toMatchObject({
      total: 1,
      records: [{ tool_name: 't2500' }],
    });
    expect(await log.activity.list({ server: 'files' }, { limit: 5 })).toMatchObject({
      total: 1,
      records: [{ tool_name: 'real' }],
    });
    expect((await log.activity.summary('all')).total).toBe(3001);
  });

  test('filters that match thousands of records give the same pages and totals as those that match a few', async () => {
    const make = (index: number) =>
      draft({
        arguments: { word: index % 2 ? 'odd' : 'even' },
        session_id: `s${index % 3}`,
        request_id: `r${index % 7}`,
        tool_name: `t${index % 5}`,
      });
    for (let i = 0; i < 6000; i += 500) {
      log.clock.time += 60_000;
      const some = Array.from({ length: 500 }, (_, k) =>
        log.activity.open(make(i + k)).close({ status: k === 0 ? 'error' : 'success' }),
      );
      await Promise.all(some);
    }
    // Changed after it was indexed, so the index knows it by its old state.
    const slow = log.activity.open(make(1));
    await slow.durable();
    for (let i = 0; i < 600; i++) void log.activity.open(make(1)).close({ status: 'success' });
    await log.activity.list({ q: 'odd' }, { limit: 1 });
    await slow.close({ status: 'error' });

    const everything = await exported();
    const half = new Date(START + 6 * 60_000).toISOString();
    const filters: RecordFilter[] = [
      { session_id: 's1' },
      { session_id: 's1', status: 'success' },
      { session_id: 's1', status: 'error' },
      { session_id: 's1', start_time: half },
      { request_id: 'r1', tool: 'files:t1' },
      { q: 'odd' },
      { q: 'odd even' },
      { q: 'odd', status: 'error' },
      { q: 'even', end_time: half, tool: 't2' },
    ];
    for (const filter of filters) {
      const expected = everything.filter((record) => naive(record, filter)).reverse();
      const first = await log.activity.list(filter, { limit: 100 });
      expect([filter, first.total]).toEqual([filter, expected.length]);
      const seen = [...first.records];
      for (let cursor = first.next_cursor; cursor !== null;) {
        const page = await log.activity.list(filter, { limit: 100, cursor });
        expect(page.total).toBe(expected.length);
        seen.push(...page.records);
        cursor = page.next_cursor;
      }
      expect(seen.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    }
  });
});

describe('activity on a disk that is full', () => {
  test('when the disk is full the call gets an error, and the record is completed once there is space', async () => {
    const sqlite = await openTestLog();
    log = sqlite;
    const open = log.activity.open(draft());
    await open.durable();
    const { page_count: pages } = sqlite.db.sqlite.prepare('PRAGMA page_count').get() as {
      page_count: number;
    };
    sqlite.db.sqlite.exec(`PRAGMA max_page_count = ${pages}`);
    const large = { status: 'success' as const, response: { text: 'x'.repeat(60_000) } };
    await expect(open.close(large)).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
    const other = log.activity.open(draft({ arguments: { text: 'y'.repeat(100_000) } }));
    await expect(other.durable()).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
    await expect(other.close({ status: 'error', error_code: 'AUDIT_UNAVAILABLE' })).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
    });

    sqlite.db.sqlite.exec('PRAGMA max_page_count = 1000000');
    await log.activity.open(draft()).close({ status: 'success' });
    await expect.poll(async () => (await listAll({ status: 'success' })).length).toBe(2);
    await expect.poll(async () => (await listAll({ status: 'error' })).length).toBe(1);
    expect(await log.activity.stats()).toEqual({ records: 3, last_24h: 3, refused_24h: 0 });
    await log.remove();
  });
});
