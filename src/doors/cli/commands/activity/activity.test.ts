import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { TimeText } from '../../../../contract/time.ts';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ActivityRecord } from '../../../../contract/activity.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { cli } from '../../../../../test/fixtures/fake-cli.ts';
import { localTime } from '../../output/time.ts';

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-activity-'));
afterAll(() => rmSync(dir, { recursive: true }));

function record(id: string, changes: Partial<ActivityRecord> = {}): ActivityRecord {
  return {
    id,
    type: 'tool_call',
    source: 'mcp',
    server_name: 'github',
    tool_name: 'create_issue',
    response_truncated: false,
    status: 'success',
    duration_ms: 245,
    timestamp: '2025-01-15T10:30:00.000Z',
    request_id: 'r1',
    operation_type: 'write',
    metadata: { intent: { operation_type: 'write', reason: 'bug report' }, tool_variant: 'call_tool_write' },
    ...changes,
  };
}

const FIRST = '01JHMWQ4M0AAAAAAAAAAAAAAAA';
const SECOND = '01JHMWQ3K8BBBBBBBBBBBBBBBB';
const THIRD = '01JHMWQ2JACCCCCCCCCCCCCCCC';
const records = [
  record(FIRST),
  record(SECOND, { tool_name: 'list_repos', operation_type: 'read', duration_ms: 1234 }),
  record(THIRD, {
    tool_name: 'delete_repo',
    operation_type: 'destructive',
    status: 'refused',
    duration_ms: 0,
  }),
];
const page = { records, next_cursor: null, total: 3 };

describe('activity list', () => {
  test('who did it, once it was not the operator alone', async () => {
    const mixed = [
      record(FIRST, { metadata: { principal: 'token:cursor' } }),
      record(SECOND, { metadata: { principal: 'operator' } }),
      record(THIRD, { type: 'tool_change', metadata: {} }),
    ];
    const { stdout } = await cli(['activity', 'list'], {
      answers: { listActivity: { ...page, records: mixed } },
      terminal: { columns: 120 },
    });
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(/INTENT +STATUS +DURATION +BY$/);
    expect(lines.slice(1, 4).map((line) => / (\S+)$/.exec(line)?.[1])).toEqual([
      'token:cursor',
      'operator',
      'mcpproxy',
    ]);
    const shown = await cli(['activity', 'show', FIRST], { answers: { getActivity: mixed[0] } });
    expect(shown.stdout).toMatch(/By +token:cursor/);
  });

  test('questions of servers are told from calls, and the programs from each other', async () => {
    const metadata = { principal: 'operator' };
    const asked = [
      record(FIRST, { type: 'elicitation', client: 'codex/1.0', metadata }),
      record(SECOND, { type: 'sampling', client: 'claude/2.0', metadata }),
    ];
    const { stdout } = await cli(['activity', 'list'], {
      answers: { listActivity: { ...page, records: asked } },
      terminal: { columns: 160 },
    });
    expect(stdout.split('\n').slice(1, 3)).toEqual([
      expect.stringMatching(/elicitation: create_issue .*operator, codex\/1\.0$/),
      expect.stringMatching(/sampling: create_issue .*operator, claude\/2\.0$/),
    ]);
  });

  test('FR-034: the columns, with the intent by default', async () => {
    const { stdout, stderr, code, connects } = await cli(['activity', 'list'], {
      answers: { listActivity: page },
    });
    const time = localTime(records[0]!.timestamp);
    expect(stdout.split('\n')).toEqual([
      'ID          TIME                  SERVER  TOOL          INTENT  STATUS   DURATION',
      `01JHMWQ4M0  ${time}  github  create_issue  write   success     245ms`,
      `01JHMWQ3K8  ${time}  github  list_repos    read    success      1.2s`,
      `01JHMWQ2JA  ${time}  github  delete_repo   destr   refused       0ms`,
      '',
    ]);
    expect([code, stderr, connects]).toEqual([0, '', [[{}, 'daemon-or-files']]]);
  });

  test('a decision of a person is told as one, never as a successful destructive call', async () => {
    const decision = {
      ...record(FIRST),
      type: 'decision' as const,
      tool_name: 'delete_repo',
      operation_type: undefined,
      approval_id: 'A1',
      decided_by: 'operator',
      metadata: { action: 'approve' },
    };
    const { stdout } = await cli(['activity', 'list'], {
      answers: { listActivity: { ...page, records: [decision] } },
    });
    expect(stdout.split('\n')[1]).toMatch(/ decision: approve delete_repo +- +success /);
    const shown = await cli(['activity', 'show', FIRST], { answers: { getActivity: decision } });
    expect(shown.stdout).toMatch(/^Decision +approve$/m);
    expect(shown.stdout).toMatch(/^Approval +A1$/m);
    expect(shown.stdout).toMatch(/^Decided by +operator$/m);
    expect(shown.stdout).not.toContain('destr');
  });

  test('show tells user, message, user intent, decision, sequence, redaction and address', async () => {
    const told = {
      ...record(FIRST),
      client_address: '192.0.2.7',
      metadata: {
        user_id: 'local',
        message_id: 'M1',
        user_intent: { intent_type: 'DELETE_TASK', extracted_params: { title: 'milk' } },
        decision_id: 'D1',
        sequence: 2,
        redacted: { at: '2026-11-01T10:00:00.000Z', by: 'operator', reason: 'asked for' },
      },
    };
    const { stdout } = await cli(['activity', 'show', FIRST], { answers: { getActivity: told } });
    for (const line of [
      /^Address +192\.0\.2\.7$/m,
      /^User +local$/m,
      /^Message +M1$/m,
      /^User intent +DELETE_TASK .*milk/m,
      /^Decided in +decision D1, call 2$/m,
      /^Redacted +2026-11-01 .* by operator: asked for$/m,
    ])
      expect(stdout).toMatch(line);
  });

  test('show tells what a server changed about a tool: hints and fields, before and after', async () => {
    const told = {
      ...record(FIRST),
      type: 'tool_change' as const,
      metadata: {
        change: 'hints_weakened',
        before: { destructiveHint: true },
        after: { readOnlyHint: true },
        held: { destructiveHint: true },
        withheld: true,
        changes: [{ path: '/description', before: '"Wipes a disk."', after: '"Reads \\u001b[2J a disk."' }],
      },
    };
    const { stdout } = await cli(['activity', 'show', FIRST], { answers: { getActivity: told } });
    for (const line of [
      /^What +hints_weakened$/m,
      /^Hints before +\{"destructiveHint":true\}$/m,
      /^Hints after +\{"readOnlyHint":true\}$/m,
      /^Withheld +from agents/m,
      /^\/description\n- Wipes a disk\.\n\+ Reads .* a disk\.$/m,
    ])
      expect(stdout).toMatch(line);
    expect(stdout).not.toContain('\u001b');
  });

  test.each<[told: string, action: string, changes: Partial<ActivityRecord>]>([
    ['config_change: login link', 'login link', { type: 'config_change' }],
    ['config_change: disable_server', 'disable_server', { type: 'config_change', server_name: 'github' }],
    [
      'config_change: approve_tool list_repos',
      'approve_tool',
      { type: 'config_change', tool_name: 'list_repos' },
    ],
    [
      'config_change: revoke_token ro2',
      'revoke_token',
      { type: 'config_change', arguments: { token_name: 'ro2' } },
    ],
    [
      'config_change: revoke_token ro2',
      'revoke_token',
      {
        type: 'config_change',
        arguments: { token_id: 'T1' },
        response: { token_name: 'ro2', token_id: 'T1' },
      },
    ],
    [
      'approval: show masked parts delete_repo',
      'show masked parts',
      { type: 'approval', tool_name: 'delete_repo' },
    ],
  ])('the list and the details say what was done: %s', async (told, action, changes) => {
    const about = { operation_type: undefined, server_name: undefined, tool_name: undefined };
    const done = record(FIRST, { ...about, metadata: { action }, ...changes });
    const { stdout } = await cli(['activity', 'list'], {
      answers: { listActivity: { ...page, records: [done] } },
      terminal: { columns: 160 },
    });
    expect(stdout).toContain(` ${told} `);
    const shown = await cli(['activity', 'show', FIRST], { answers: { getActivity: done } });
    expect(
      shown.stdout
        .split('\n')
        .find((line) => line.startsWith('Action'))
        ?.trim(),
    ).toMatch(new RegExp(`^Action +${action}$`));
  });

  test('FR-035: word and icon on a terminal, and no line wider than it', async () => {
    const { stdout } = await cli(['activity', 'list'], {
      answers: { listActivity: page },
      terminal: { out: true, columns: 76 },
      env: { NO_COLOR: '1' },
    });
    expect(stdout).toMatch(/✎ write.*◦ read.*✖ destr/s);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(76);
  });

  test('FR-037: JSON and YAML are the whole page, intent included', async () => {
    const json = await cli(['activity', 'list', '-o', 'json'], {
      answers: { listActivity: { ...page, next_cursor: 'c' } },
    });
    expect([JSON.parse(json.stdout), json.stderr]).toEqual([{ ...page, next_cursor: 'c' }, '']);
    expect(
      parse((await cli(['activity', 'list', '-o', 'yaml'], { answers: { listActivity: page } })).stdout),
    ).toEqual(page);
  });

  test('every filter reaches the query', async () => {
    const flags = [
      '--intent-type',
      'destructive',
      '--status',
      'refused',
      '--server',
      's',
      '--tool',
      't',
      '--type',
      'tool_call',
      '--session',
      'x',
    ];
    const more = [
      '--request-id',
      'r',
      '--since',
      '2h',
      '--until',
      '2025-01-15T11:00:00Z',
      '--limit',
      '5',
      '--cursor',
      'abc',
      '-q',
      'two words',
      '--principal',
      'token:cursor',
      '--client',
      'claude-code',
    ];
    const { requests } = await cli(['activity', 'list', ...flags, ...more], {
      answers: { listActivity: page },
    });
    expect(requests).toEqual([
      [
        'listActivity',
        {
          intent_type: 'destructive',
          status: 'refused',
          server: 's',
          tool: 't',
          type: 'tool_call',
          principal: 'token:cursor',
          client: 'claude-code',
          session_id: 'x',
          request_id: 'r',
          start_time: '2025-01-15T10:00:00.000Z',
          end_time: '2025-01-15T11:00:00.000Z',
          limit: 5,
          cursor: 'abc',
          q: 'two words',
        },
      ],
    ]);
  });

  test('more pages and no records are said on stderr', async () => {
    expect(
      (
        await cli(['activity', 'list'], {
          answers: { listActivity: { ...page, next_cursor: 'abc', total: 900 } },
        })
      ).stderr,
    ).toBe('Showing 3 of 900 records. For older records add: --cursor abc\n');
    expect(
      (
        await cli(['activity', 'list'], {
          answers: { listActivity: { records: [], next_cursor: null, total: 0 } },
        })
      ).stderr,
    ).toBe('No records match these filters.\n');
  });

  test('ids of one millisecond are printed long enough to tell them apart', async () => {
    const close = [record('01JHMWQ4M0AAAAAAAAAAAAAAB1'), record('01JHMWQ4M0AAAAAAAAAAAAAAC1')];
    const { stdout } = await cli(['activity', 'list'], {
      answers: { listActivity: { ...page, records: close } },
    });
    expect(stdout).toContain('01JHMWQ4M0AAAAAAAAAAAAAAB ');
    expect(stdout).toContain('01JHMWQ4M0AAAAAAAAAAAAAAC ');
  });

  test('names from servers cannot drive the terminal', async () => {
    const evil = { ...page, records: [record(FIRST, { tool_name: 'x\u001b[2J\nfake row' })] };
    const { stdout } = await cli(['activity', 'list'], { answers: { listActivity: evil } });
    expect(stdout).toContain('x\\u{1b}[2J\\nfake row');
    expect(stdout.split('\n')).toHaveLength(3);
  });
});

describe('activity show', () => {
  const shown = record(FIRST, {
    arguments: { title: 'Bug\u202e' },
    response: { content: [{ type: 'text', text: 'created\u001b[0m' }] },
    response_truncated: true,
    error_code: 'X',
    error_message: 'went wrong',
    metadata: {
      intent: { operation_type: 'write', reason: 'bug report' },
      tool_variant: 'call_tool_write',
      warnings: ['is marked read-only'],
      operation: { verdict: 'read', source: 'annotation' },
      trace_id: '0af7651916cd43dd8448eb211c80319c',
    },
  });

  test('FR-036: intent section, warnings, arguments and response', async () => {
    const { stdout, requests } = await cli(['activity', 'show', FIRST], { answers: { getActivity: shown } });
    expect(requests).toEqual([['getActivity', { id: FIRST }]]);
    expect(stdout).toContain(
      [
        'Intent',
        'Operation    write',
        'Variant      call_tool_write',
        'Sensitivity  unknown',
        'Reason       bug report',
        'Verdict      read (annotation)',
        '',
      ].join('\n'),
    );
    expect(stdout).toContain('\nWarnings\n! is marked read-only\n');
    expect(stdout).toContain('\nArguments\n{\n  "title": "Bug\\u202e"\n}\n');
    expect(stdout).toContain('\nResponse\ncreated\\u{1b}[0m\n(truncated at the size limit of the log)\n');
    expect(stdout).toMatch(/^Error +X: went wrong$/m);
    expect(stdout).toMatch(/^Trace +0af7651916cd43dd8448eb211c80319c$/m);
  });

  test('the short form is found by the time in it', async () => {
    const outcome = await cli(['activity', 'show', '01jhmwq4m0'], {
      answers: { listActivity: page, getActivity: shown },
    });
    expect(outcome.code).toBe(0);
    expect(outcome.requests[1]).toEqual(['getActivity', { id: FIRST }]);
    const { start_time: start, end_time: end } = outcome.requests[0]![1] as Record<string, string>;
    expect(Date.parse(end!) - Date.parse(start!)).toBe(10_000);
  });

  test('a beginning that several records share, or none, is said', async () => {
    const twins = [record('01JHMWQ4M0AAAAAAAAAAAAAAB1'), record('01JHMWQ4M0AAAAAAAAAAAAAAC1')];
    const several = await cli(['activity', 'show', '01JHMWQ4M0'], {
      answers: { listActivity: { ...page, records: twins } },
    });
    expect(several).toMatchObject({ code: 2, stdout: '' });
    expect(several.stderr).toContain(
      'matches 2 records: 01JHMWQ4M0AAAAAAAAAAAAAAB1, 01JHMWQ4M0AAAAAAAAAAAAAAC1',
    );
    const none = await cli(['activity', 'show', '01ZZZZZZZZ'], { answers: { listActivity: page } });
    expect(none.stderr).toContain("No record id starts with '01ZZZZZZZZ'");
    // Its time is after the last one that filters take.
    const late = await cli(['activity', 'show', 'ZZZZZZZ'], {
      answers: {
        listActivity: (query: { start_time: string }) => ({
          ...page,
          records: [],
          query: TimeText.parse(query.start_time),
        }),
      },
    });
    expect(late.stderr).toContain("No record id starts with 'ZZZZZZZ'");
    expect((await cli(['activity', 'show', '01J'])).stderr).toContain('at least 7 characters');
  });

  test('it looks through all pages of the range', async () => {
    const pages = [
      { records: [record(SECOND)], next_cursor: 'p2', total: 2 },
      { records: [record(FIRST)], next_cursor: null, total: 2 },
    ];
    const { requests } = await cli(['activity', 'show', '01JHMWQ4M0'], {
      answers: { listActivity: () => pages.shift(), getActivity: shown },
    });
    expect(requests.map(([name]) => name)).toEqual(['listActivity', 'listActivity', 'getActivity']);
    expect(requests[1]![1]).toMatchObject({ cursor: 'p2' });
  });
});

test('activity summary: counts, most first', async () => {
  const summary = {
    period: '7d',
    start_time: '2025-01-08T12:00:00Z',
    end_time: '2025-01-15T12:00:00Z',
    total: 12,
    by_operation: { read: 3, write: 9 },
    by_status: { success: 12 },
    by_server: { github: 12 },
    by_tool: Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`github:t${i}`, i])),
    decisions: 2,
  };
  const { stdout, requests } = await cli(['activity', 'summary', '--period', '7d'], {
    answers: { activitySummary: summary },
  });
  expect(requests).toEqual([['activitySummary', { period: '7d' }]]);
  expect(stdout).toContain('2 of them are decisions by people, which are not counted below\n');
  expect(stdout).toContain('By operation\nwrite  9\nread   3\n');
  expect(stdout).toContain('… and 2 more');
});

test('activity series: one row per step, with the times that were asked for', async () => {
  const point = {
    time: '2025-01-15T12:00:00Z',
    read: 3,
    write: 1,
    destructive: 0,
    other: 1,
    decisions: 1,
    refused: 1,
    errors: 0,
  };
  const series = { start_time: point.time, end_time: '', step_ms: 60_000, points: [{ ...point, total: 6 }] };
  const argv = ['activity', 'series', '--since', '2025-01-15T00:00:00Z', '--buckets', '7'];
  const { stdout, requests } = await cli(argv, { answers: { activitySeries: series } });
  expect(requests).toEqual([['activitySeries', { start_time: '2025-01-15T00:00:00.000Z', buckets: 7 }]]);
  expect(stdout).toMatch(
    /^FROM +READ +WRITE +DESTRUCTIVE +OTHER +DECISIONS +REFUSED +ERRORS +TOTAL\n.* 3 +1 +0 +1 +1 +1 +0 +6\n$/,
  );
});

describe('activity export', () => {
  const lines = '{"id":"1","tool_name":"a\u009bb"}\n{"id":"2"}\n';
  const answers = { exportActivity: () => new Response(lines) };

  test('JSON lines on stdout, safe to print and the same when parsed', async () => {
    const { stdout, requests, stderr } = await cli(['activity', 'export', '--status', 'refused'], {
      answers,
    });
    expect(requests).toEqual([['exportActivity', { status: 'refused', format: 'json' }]]);
    expect(stdout).toBe('{"id":"1","tool_name":"a\\u009bb"}\n{"id":"2"}\n');
    expect(stderr).toBe('');
  });

  test('CSV is left alone for programs and made visible on a terminal', async () => {
    const csv = { answers: { exportActivity: () => new Response('id,tool\r\n1,a\u001b[31m\r\n') } };
    expect((await cli(['activity', 'export', '--format', 'csv'], csv)).stdout).toBe(
      'id,tool\r\n1,a\u001b[31m\r\n',
    );
    expect(
      (await cli(['activity', 'export', '--format', 'csv'], { ...csv, terminal: { out: true } })).stdout,
    ).toBe('id,tool\n1,a\\u{1b}[31m\n');
  });

  test('a file, byte for byte and for the owner alone', async () => {
    const file = join(dir, 'out.jsonl');
    const { stdout, stderr } = await cli(['activity', 'export', '--output', file], { answers });
    expect([stdout, stderr]).toEqual(['', `Written to ${file}.\n`]);
    expect(readFileSync(file, 'utf8')).toBe(lines);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('an export that breaks off leaves the file before it in place', async () => {
    const file = join(dir, 'kept.jsonl');
    writeFileSync(file, 'old');
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"id":'));
        controller.error(new Error('connection lost'));
      },
    });
    const outcome = await cli(['activity', 'export', '--force', '--output', file], {
      answers: { exportActivity: () => new Response(broken) },
    });
    expect(outcome.code).toBe(7);
    expect(outcome.stderr).toContain('error: The connection was lost during the export: connection lost');
    expect([readFileSync(file, 'utf8'), existsSync(`${file}.partial`)]).toEqual(['old', false]);
  });
});

test('activity export: a place that cannot be written is a usage error', async () => {
  const outcome = await cli(['activity', 'export', '--output', join(dir, 'none', 'x')], {
    answers: { exportActivity: () => new Response('{}') },
  });
  expect(outcome.code).toBe(2);
  expect(outcome.stderr).toMatch(/Cannot write the export to .*ENOENT/);
});

test.each([
  ['--output', 'plain/x', /Cannot write the export to .*plain\/x: .*ENOTDIR/],
  ['--sealed', 'plain', /Cannot write the export to .*plain: it is a file, but --sealed needs a directory/],
  ['--sealed', 'plain/x', /Cannot write the export to .*plain\/x: .*ENOTDIR/],
])('activity export %s %s, where plain is a file, is a usage error', async (flag, place, says) => {
  writeFileSync(join(dir, 'plain'), 'kept');
  const outcome = await cli(['activity', 'export', flag, join(dir, place)], {
    answers: { exportActivity: () => new Response('{}'), exportSealed: () => new Response('{}') },
  });
  expect([outcome.code, readFileSync(join(dir, 'plain'), 'utf8')]).toEqual([2, 'kept']);
  expect(outcome.stderr).toMatch(says);
});

describe('activity watch', () => {
  const event = (id: number, data: object) => `id: ${id}\nevent: activity\ndata: ${JSON.stringify(data)}\n\n`;
  const closed = (id: number, recordId: string) =>
    event(id, { id: recordId, type: 'tool_call', status: 'success', phase: 'closed' });

  test('each closed record once; a lost connection resumes where it broke', async () => {
    const opened: Array<Record<string, string> | undefined> = [];
    const streams = [
      'retry: 2000\nid: 0\n\n',
      event(1, { id: FIRST, phase: 'opened' }) + closed(2, FIRST) + 'event: server\ndata: {}\n\n',
      closed(3, THIRD),
    ];
    const { code, stdout, connects } = await cli(['activity', 'watch', '-o', 'json'], {
      answers: {
        events: (_: unknown, headers: Record<string, string>) => {
          opened.push(headers);
          const next = streams.shift();
          if (next === undefined) throw new ProxyError('UNAUTHORIZED', 'key changed');
          return new Response(next);
        },
        getActivity: (input: Record<string, unknown>) => records.find(({ id }) => id === input.id),
      },
    });
    // Looked up each time: the address may have changed.
    expect(connects).toEqual(Array.from({ length: 4 }, () => [{}, 'daemon']));
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as ActivityRecord).id),
    ).toEqual([FIRST, THIRD]);
    expect(opened).toEqual([{}, ...['0', '2', '3'].map((id) => ({ 'last-event-id': id }))]);
    expect(code).toBe(3);
  });

  test('filters and the readable form; a record that is gone is passed over', async () => {
    let interrupt: (exitCode: number) => void = () => undefined;
    const outcome = await cli(['activity', 'watch', '--intent-type', 'destructive'], {
      onStart: (it) => (interrupt = it),
      answers: {
        events: () =>
          new Response(closed(1, FIRST) + closed(2, SECOND) + closed(3, THIRD) + closed(4, 'last')),
        getActivity: ({ id }: Record<string, unknown>) => {
          if (id === SECOND) throw new ProxyError('NOT_FOUND', 'gone');
          if (id === 'last') interrupt(130);
          return records.find((record) => record.id === id) ?? records[0];
        },
      },
    });
    expect(outcome.code).toBe(130);
    expect(outcome.stdout).toBe(
      `${localTime(records[2]!.timestamp).padEnd(25)}  destr    refused        0ms  github:delete_repo\n`,
    );
  });

  test('without a daemon it says how to start one', async () => {
    const outcome = await cli(['activity', 'watch'], {
      runtime: {
        connect: () =>
          Promise.reject(new ProxyError('NO_DAEMON', 'No mcpproxy answers at http://127.0.0.1:8080')),
      },
    });
    expect(outcome.code).toBe(7);
    expect(outcome.stderr).toContain('next: start it with "mcpproxy serve"');
  });
});

describe('an empty list with a name that nobody has', () => {
  const empty = { records: [], next_cursor: null, total: 0 };
  const recent = {
    ...empty,
    records: [{ ...record(FIRST), server_name: 'gitlab', metadata: { principal: 'token:nightly' } }],
  };
  const answers = {
    listActivity: ({ server, principal }: Record<string, string>) =>
      server === undefined && principal === undefined ? recent : empty,
    listServers: { servers: [{ name: 'github' }] },
    listTokens: { tokens: [{ name: 'cursor' }] },
  };
  const said = async (argv: string[], known: object = answers) => {
    const { code, stderr } = await cli(['activity', 'list', ...argv], { answers: known });
    expect([code, stderr]).toEqual([0, expect.stringContaining('No records match these filters.')]);
    return stderr;
  };

  test('names the one that was probably meant', async () => {
    expect(await said(['--server', 'githb'])).toContain(
      "no record of a server named 'githb'. Did you mean 'github'?",
    );
    expect(await said(['--principal', 'curser'])).toContain("Did you mean 'cursor'?");
    expect(await said(['--principal', 'token:curser'])).toContain("Did you mean 'cursor'?");
    expect(await said(['--server', 'elsewhere'])).toMatch(/named 'elsewhere'\.\n$/);
  });

  test('is not said of a server or token without records', async () => {
    expect(await said(['--server', 'github', '--principal', 'cursor'])).not.toContain('named');
  });

  test('where only the files are read, the log gives the names', async () => {
    const { listActivity } = answers;
    expect(await said(['--server', 'gitlub'], { listActivity })).toContain("Did you mean 'gitlab'?");
    expect(await said(['--principal', 'nightle'], { listActivity })).toContain("Did you mean 'nightly'?");
  });
});
