import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ProxyError, type ErrorCode } from '../../../contract/errors.ts';
import { OperationType } from '../../../contract/operation.ts';
import { cli } from '../../../../test/fixtures/fake-cli.ts';

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-call-'));
afterAll(() => rmSync(dir, { recursive: true }));

const ok = { answers: { callTool: { content: [{ type: 'text', text: 'done' }] } } };
const sent = (outcome: Awaited<ReturnType<typeof cli>>) =>
  (outcome.requests[0]![1] as { body: Record<string, unknown> }).body;

describe('FR-026 FR-027 FR-028 FR-029: one command per operation, which declares the intent', () => {
  test.each(OperationType.options)('call tool-%s', async (operation) => {
    const outcome = await cli(['call', `tool-${operation}`, 'github:tool', '--args', '{"a": 1}'], ok);
    expect(outcome).toMatchObject({ code: 0, stdout: 'done\n', stderr: '', closed: 1 });
    expect(outcome.connects).toEqual([[{}, 'daemon-or-embedded']]);
    expect(outcome.requests).toEqual([
      [
        'callTool',
        {
          body: {
            tool_variant: `call_tool_${operation}`,
            name: 'github:tool',
            args_json: '{"a": 1}',
            intent: { operation_type: operation },
            approval_wait: '1s',
          },
        },
      ],
    ]);
  });
});

test('FR-030: --reason and --sensitivity become part of the intent', async () => {
  const argv = [
    'call',
    'tool-destructive',
    'github:delete_repo',
    '--sensitivity',
    'private',
    '--reason',
    'User confirmed',
    '--timeout',
    '5s',
  ];
  expect(sent(await cli(argv, ok))).toEqual({
    tool_variant: 'call_tool_destructive',
    name: 'github:delete_repo',
    intent: { operation_type: 'destructive', data_sensitivity: 'private', reason: 'User confirmed' },
    timeout: '5s',
    approval_wait: '1s',
  });
});

test('FR-030: an unknown --sensitivity is sent, so that the proxy refuses and records it as for every client', async () => {
  const outcome = await cli(['call', 'tool-read', 'github:list_repos', '--sensitivity', 'secret'], ok);
  expect(sent(outcome).intent).toEqual({ operation_type: 'read', data_sensitivity: 'secret' });
});

test('`call tool`, as other proxies have it, names the three commands', async () => {
  const { code, stderr, requests } = await cli(['call', 'tool', 'github:list_repos', '--args', '{}'], ok);
  expect([code, requests]).toEqual([2, []]);
  for (const operation of OperationType.options)
    expect(stderr).toContain(`mcpproxy call tool-${operation} github:list_repos`);
});

describe('where the arguments come from', () => {
  test('the aliases --tool-name and --json_args, long and short', async () => {
    for (const argv of [
      ['--tool-name=a:b', '--json_args', '{"x":2}'],
      ['-t', 'a:b', '-j', '{"x":2}'],
    ]) {
      expect(sent(await cli(['call', 'tool-read', ...argv], ok))).toMatchObject({
        name: 'a:b',
        args_json: '{"x":2}',
      });
    }
  });

  test('stdin', async () => {
    expect(
      sent(await cli(['call', 'tool-read', 'a:b', '--args', '-'], { ...ok, stdin: '{"from":"stdin"}' })),
    ).toMatchObject({ args_json: '{"from":"stdin"}' });
  });

  test('a file, with or without a byte order mark', async () => {
    const file = join(dir, 'args.json');
    writeFileSync(file, '\ufeff{"from":"file"}\n');
    expect(sent(await cli(['call', 'tool-read', 'a:b', '--args', `@${file}`], ok))).toMatchObject({
      args_json: '{"from":"file"}\n',
    });
  });

  test('a file that is not there is a usage error before anything is called', async () => {
    const outcome = await cli(['call', 'tool-read', 'a:b', '--args', `@${join(dir, 'none.json')}`], ok);
    expect([outcome.code, outcome.requests]).toEqual([2, []]);
    expect(outcome.stderr).toMatch(/Cannot read the arguments from .*none\.json: there is no such file/);
  });

  test.each([
    '{not json',
    '['.repeat(10_000) + ']'.repeat(10_000),
    '{"__proto__": {"x": 1}}',
    '{"id": 12345678901234567890, "2": 1.0, "1": -0}',
    '{"a": 1, "a": 2}',
  ])('they go on as they are typed, whatever they are', async (text) => {
    const body = sent(await cli(['call', 'tool-read', 'a:b', '--args', text], ok));
    expect(body.args_json).toBe(text);
    expect(body).not.toHaveProperty('args');
  });
});

describe('mistakes', () => {
  test.each([
    [['call', 'tool-read'], 'Name the tool'],
    [['call', 'tool-read', 'a:b', '-t', 'c:d'], "Two different values for the tool: 'a:b' and 'c:d'"],
    [['call', 'tool-read', 'a:b', '--args', '{}', '-j', '{"a":1}'], 'Two different values for the arguments'],
    [['call', 'tool-read', 'a:b', '--timeout', 'soon'], 'must be a number with a unit'],
    [['call', 'tool-reed', 'a:b'], 'Did you mean tool-read?'],
  ])('%j', async (argv, says) => {
    const outcome = await cli(argv, ok);
    expect([outcome.code, outcome.requests]).toEqual([2, []]);
    expect(outcome.stderr).toContain(says);
  });

  test('FR-040: a refusal says why and which command to use, and ends with 3', async () => {
    const error = new ProxyError(
      'SERVER_MISMATCH',
      "Tool 'github:delete_repo' is marked destructive by server, use call_tool_destructive",
      {
        tool: 'github:delete_repo',
        call_with: 'call_tool_destructive',
      },
    );
    const outcome = await cli(['call', 'tool-read', 'github:delete_repo'], {
      answers: { callTool: () => Promise.reject(error) },
    });
    expect([outcome.code, outcome.stdout]).toEqual([3, '']);
    expect(outcome.stderr).toContain(`error: ${error.message}\n`);
    expect(outcome.stderr).toContain('next: mcpproxy call tool-destructive github:delete_repo\n');
  });
});

describe('errors in the words of the command line', () => {
  const failing = (code: ErrorCode, message: string, details = {}) => ({
    answers: { callTool: () => Promise.reject(new ProxyError(code, message, details)) },
  });

  test.each([
    ['INVALID_ARGUMENTS', 'args_json is not valid JSON: x', 'error: --args is not valid JSON: x'],
    ['TOO_DEEP', 'args_json is nested deeper than 9 levels', 'error: --args is nested deeper'],
    ['INVALID_ARGUMENTS', 'name must be "server:tool"', 'error: The name of the tool must be "server:tool"'],
  ] as const)('%s: %s', async (code, message, shown) => {
    const { stderr } = await cli(['call', 'tool-read', 'a:b'], failing(code, message));
    expect(stderr).toContain(shown);
  });

  test('a printed command has the flags that chose the proxy, but not the key', async () => {
    const place = ['--config', 'c.json', '--data-dir', "/tmp/it's here", '--api-key', 'secret'];
    const mismatch = failing('SERVER_MISMATCH', 'm', { tool: 'a:b', call_with: 'call_tool_write' });
    const { stderr } = await cli(['call', 'tool-read', 'a:b', ...place], mismatch);
    expect(stderr).toContain(
      "next: mcpproxy --config c.json --data-dir '/tmp/it'\\''s here' call tool-write a:b\n",
    );
    expect(stderr).not.toContain('secret');
  });

  test('--url is left out where the command does not have it', async () => {
    const argv = ['call', 'tool-read', 'a:b', '--url', 'http://h:1'];
    const gone = await cli(argv, failing('NO_DAEMON', 'no'));
    expect(gone.stderr).toContain('start it with "mcpproxy serve"');
    const refused = await cli(argv, failing('POLICY_REFUSED', 'no'));
    expect(refused.stderr).toContain('"mcpproxy --url http://h:1 approvals explain SERVER:TOOL"');
  });
});

describe('the result', () => {
  const content = [
    { type: 'text', text: 'two\nlines \u001b[2J' },
    { type: 'image', data: Buffer.alloc(1500).toString('base64'), mimeType: 'image/png' },
    { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'inside' } },
    { type: 'resource', resource: { uri: 'file:///b', blob: 'AAAA' } },
    { type: 'resource_link', uri: 'https://example.com/x', name: 'x' },
    { type: 'novel\u0007' },
  ];

  test('text is shown, everything else described on a line', async () => {
    const { stdout } = await cli(['call', 'tool-read', 'a:b'], { answers: { callTool: { content } } });
    expect(stdout).toBe(
      [
        'two',
        'lines \\u{1b}[2J',
        '[image, image/png, 1.5 kB]',
        '[audio, audio/wav, 3 B]',
        '[resource, file:///a, text/plain]',
        'inside',
        '[resource, file:///b, 3 B]',
        '[link, https://example.com/x]',
        '[novel\\u{7}]',
        '',
      ].join('\n'),
    );
  });

  test('-o json is the whole result', async () => {
    const result = { content, structuredContent: { a: 1 }, _meta: { x: 'y' } };
    const { stdout } = await cli(['call', 'tool-read', 'a:b', '-o', 'json'], {
      answers: { callTool: result },
    });
    expect(JSON.parse(stdout)).toEqual(result);
  });

  test('a tool that reports an error ends with 1, its text still on stdout', async () => {
    const outcome = await cli(['call', 'tool-read', 'a:b'], {
      answers: { callTool: { isError: true, content: [{ type: 'text', text: 'no such file' }] } },
    });
    expect(outcome).toMatchObject({
      code: 1,
      stdout: 'no such file\n',
      stderr: 'The tool a:b returned an error.\n',
    });
  });

  test('structured content alone is shown as JSON; nothing at all is said', async () => {
    expect(
      (await cli(['call', 'tool-read', 'a:b'], { answers: { callTool: { structuredContent: { n: 1 } } } }))
        .stdout,
    ).toBe('{\n  "n": 1\n}\n');
    expect((await cli(['call', 'tool-read', 'a:b'], { answers: { callTool: { content: [] } } })).stdout).toBe(
      '(no content)\n',
    );
  });
});
