import { describe, expect, test } from 'vitest';
import { ProxyError } from '../../../../contract/errors.ts';
import type { ServerView } from '../../../../contract/status.ts';
import { cli } from '../../../../../test/fixtures/fake-cli.ts';

const server: ServerView = {
  name: 'files',
  title: 'files',
  transport: 'stdio',
  target: 'npx -y server .',
  state: 'ready',
  enabled: true,
  tool_count: 14,
  since: '2025-01-15T10:00:00Z',
  restarts: 0,
  in_flight: 0,
  queued: 0,
  breaker: 'closed',
  retries: 0,
};

describe('upstream list', () => {
  test('state and tool count', async () => {
    const { stdout } = await cli(['upstream', 'list'], { answers: { listServers: { servers: [server] } } });
    expect(stdout).toBe(
      'NAME   STATE  TOOLS  TRANSPORT  TARGET\nfiles  ready     14  stdio      npx -y server .\n',
    );
  });

  test('the last error where there is one, made visible', async () => {
    const failed = { ...server, state: 'failed' as const, last_error: 'exit 1\u001b[31m' };
    const { stdout } = await cli(['upstream', 'list'], {
      answers: { listServers: { servers: [server, failed] } },
    });
    expect(stdout).toMatch(/LAST ERROR\n.*-\n.*exit 1\\u\{1b\}\[31m\n$/);
  });
});

describe('upstream list of servers with titles', () => {
  const name = 'a-server-with-a-name-that-is-long-056b';
  const titled = { ...server, name, title: 'A server with a name that is long' };
  const answers = { listServers: { servers: [server, titled] } };
  const list = (columns: number) =>
    cli(['upstream', 'list'], { answers, terminal: { out: true, columns }, env: { NO_COLOR: '1' } });

  test('at 80 columns the name is whole, and the title is left out', async () => {
    const { stdout } = await list(80);
    expect(stdout).toMatch(new RegExp(`^NAME +STATE .*\n.*\n${name} +ready`));
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('where there is room, a title is shown if it is not the name', async () => {
    expect((await list(200)).stdout).toMatch(/^NAME +TITLE +.*\nfiles +- +ready.*\n.* A server with/);
  });
});

describe('upstream add', () => {
  const noTools = { tools: [], next_cursor: null, total: 0 };
  const answers = { addServer: server, listTools: noTools };

  test('everything after -- is the command, flags included', async () => {
    const outcome = await cli(
      [
        'upstream',
        'add',
        'files',
        '--env',
        'A=1=2',
        '--env',
        'B=',
        '--cwd',
        '/x',
        '--',
        'npx',
        '-y',
        'server',
        '-o',
        '.',
      ],
      { answers },
    );
    expect(outcome.requests).toEqual([
      [
        'addServer',
        {
          body: {
            name: 'files',
            config: {
              command: 'npx',
              args: ['-y', 'server', '-o', '.'],
              env: { A: '1=2', B: '' },
              cwd: '/x',
            },
          },
        },
      ],
      ['listTools', { server: 'files', limit: 1000 }],
    ]);
    expect(outcome.connects).toEqual([[{}, 'daemon-or-offline']]);
    expect(outcome.stdout).toMatch(/^Server +files$/m);
  });

  test.each([
    [{ state: 'ready' }, 'List its tools with: mcpproxy tools list --server files'],
    [
      { state: 'failed', last_error: 'spawn nope\u001b[2J ENOENT' },
      'Added, but the server failed. Change it with: mcpproxy upstream edit files. Remove it with: mcpproxy upstream remove files',
    ],
    [{ state: 'disabled' }, 'Start it with: mcpproxy upstream enable files'],
  ])('the next step of %j', async (view, text) => {
    const addServer = { ...server, name: 'files', ...view };
    const { stderr } = await cli(['upstream', 'add', 'files', '--', 'npx'], {
      answers: { ...answers, addServer },
    });
    expect(stderr).toContain(text);
  });

  const failed = {
    ...server,
    state: 'failed',
    last_error: 'spawn nope\u001b[2J ENOENT',
    next_step: 'Install it',
  };
  const add = ['upstream', 'add', 'files', '--', 'npx'];

  test('a server that fails has its own exit code, and is shown with why and what to do', async () => {
    const outcome = await cli(add, { answers: { addServer: failed } });
    expect([outcome.code, outcome.asked]).toEqual([9, []]);
    expect(outcome.stdout).toMatch(/^Last error +spawn nope\\u\{1b\}\[2J ENOENT\nWhat to do +Install it$/m);
    expect(outcome.requests.map(([name]) => name)).toEqual(['addServer']);
  });

  test.each([
    { flags: ['--drop'], reply: '', asked: 0, drops: true },
    { flags: ['--keep'], reply: '', asked: 0, drops: false },
    { flags: [], reply: 'n', asked: 1, drops: true },
    { flags: [], reply: '', asked: 1, drops: false },
  ])('on a terminal: %j', async ({ flags, reply, asked, drops }) => {
    const outcome = await cli(['upstream', 'add', 'files', ...flags, '--', 'npx'], {
      answers: { addServer: failed, removeServer: { ok: true } },
      terminal: { in: true, err: true },
      reply,
    });
    expect(outcome.code).toBe(9);
    expect(outcome.asked).toHaveLength(asked);
    expect(outcome.requests.some(([name]) => name === 'removeServer')).toBe(drops);
  });

  test('its tools are reviewed: what they do, what looks like an instruction to the model, what is withheld', async () => {
    const judged = {
      operation: { verdict: 'write', source: 'default', inferred: 'write' },
      book: { hinted: null },
    };
    const finding = {
      rule: 'override',
      path: '/description',
      why: 'sets aside',
      excerpt: 'Ignore\u001b[2J all',
    };
    const tools = [
      { ...judged, name: 'files:read', withheld: true, suspicious: false, findings: [] },
      { ...judged, name: 'files:add', withheld: true, suspicious: true, findings: [finding] },
    ];
    const bad = await cli(add, { answers: { ...answers, listTools: { ...noTools, tools, total: 2 } } });
    expect(bad.stdout).toMatch(/^2 tools: /m);
    expect(bad.stdout).toContain('1 tool has text that looks like an instruction to the model:');
    expect(bad.stdout).toContain('  files:add /description: sets aside\n    Ignore\\u{1b}[2J all\n');
    expect(bad.stdout).toContain(
      '2 tools are withheld from agents. Accept all of them with: mcpproxy upstream approve files',
    );
    const [fine] = tools.map((tool) => ({ ...tool, withheld: false }));
    const good = await cli(add, {
      answers: { ...answers, listTools: { ...noTools, tools: [fine], total: 1 } },
    });
    expect(good.stdout).toContain('No text looks like an instruction to the model.');
    expect(good.stdout).not.toContain('withheld');
  });

  test('--keep and --drop together are a usage error', async () => {
    const outcome = await cli(['upstream', 'add', 'files', '--keep', '--drop', '--', 'npx']);
    expect([outcome.code, outcome.requests]).toEqual([2, []]);
  });

  test('waits for a server that is starting; --no-wait does not', async () => {
    const starting = {
      ...server,
      state: 'connecting',
      waiting_for: 'first_answer',
      waiting_since: '2025-01-15T11:59:48Z',
    };
    const started = await cli(add, {
      answers: { ...answers, addServer: starting, getServer: server },
      terminal: { err: true },
    });
    expect(started.code).toBe(0);
    expect(started.stderr).toContain('files: starting, 12 s');
    expect(started.stdout).toMatch(/^State +ready$/m);
    const left = await cli([...add.slice(0, 3), '--no-wait', ...add.slice(3)], {
      answers: { addServer: starting },
    });
    expect([left.code, left.requests.length]).toEqual([0, 1]);
    expect(left.stdout).toMatch(/^State +starting, 12 s$/m);
  });

  test('a value of "-" is read from stdin, once', async () => {
    const from = (flags: string[]) =>
      cli(['upstream', 'add', 'files', ...flags, '--', 'npx'], { answers, stdin: 'sesame\n' });
    const one = await from(['--env', 'TOKEN=-', '--env', 'A=b']);
    expect(one.requests[0]![1]).toMatchObject({ body: { config: { env: { TOKEN: 'sesame', A: 'b' } } } });
    const two = await from(['--env', 'TOKEN=-', '--env', 'B=-']);
    expect([two.code, two.requests]).toEqual([2, []]);
  });

  test('--url is the address of the server; the address of the daemon goes before the command', async () => {
    const outcome = await cli(
      [
        '--url',
        'http://127.0.0.1:9',
        'upstream',
        'add',
        'gh',
        '--url',
        'https://example.com/mcp',
        '--header',
        'Authorization=Bearer ${env:T}',
        '--type',
        'http',
        '--disabled',
      ],
      { answers },
    );
    expect(outcome.connects).toEqual([[{ url: 'http://127.0.0.1:9' }, 'daemon-or-offline']]);
    expect(outcome.requests[0]![1]).toEqual({
      body: {
        name: 'gh',
        config: {
          url: 'https://example.com/mcp',
          type: 'http',
          headers: { Authorization: 'Bearer ${env:T}' },
          enabled: false,
        },
      },
    });
  });

  test.each([
    [['upstream', 'add', 'x'], 'Specify how to reach the server'],
    [['upstream', 'add', 'x', '--url', 'https://e', '--', 'npx'], 'not both'],
    [['upstream', 'add', 'x', 'https://e/mcp'], 'give it with --url'],
    [
      ['upstream', 'add', 'x', '--type', 'carrier', '--', 'npx'],
      'Allowed choices are stdio, http, streamable-http, sse.',
    ],
    [
      ['upstream', 'add', 'x', '--header', 'secret-token', '--url', 'https://e'],
      '--header must have the form NAME=VALUE',
    ],
  ])('%j is a usage error', async (argv, says) => {
    const outcome = await cli(argv, { answers });
    expect([outcome.code, outcome.requests]).toEqual([2, []]);
    expect(outcome.stderr).toContain(says);
    expect(outcome.stderr).not.toContain('secret-token');
  });
});

describe('upstream remove', () => {
  const answers = { removeServer: { ok: true } };
  const terminal = { in: true, err: true };

  test.each(['y', 'Yes'])('asks on a terminal; %j goes on', async (reply) => {
    const outcome = await cli(['upstream', 'remove', 'files'], { answers, terminal, reply });
    expect(outcome.asked).toEqual(["Remove server 'files' and its settings? [y/N] "]);
    expect(outcome.requests).toEqual([['removeServer', { name: 'files' }]]);
    expect(outcome.stdout).toBe('Removed files\n');
  });

  test.each(['', 'n', 'yesterday'])('%j removes nothing', async (reply) => {
    const outcome = await cli(['upstream', 'remove', 'files'], {
      answers,
      terminal,
      reply,
      env: { NO_COLOR: '1' },
    });
    expect(outcome).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'Cancelled. The server was not removed.\n',
      requests: [],
    });
  });

  test('does not ask with -y, nor where nobody could answer', async () => {
    expect(await cli(['upstream', 'remove', 'files', '-y'], { answers, terminal })).toMatchObject({
      asked: [],
      stdout: 'Removed files\n',
    });
    expect(await cli(['upstream', 'remove', 'files'], { answers })).toMatchObject({
      asked: [],
      stdout: 'Removed files\n',
    });
  });
});

test.each([
  ['enable', 'enableServer', 'daemon-or-offline'],
  ['disable', 'disableServer', 'daemon-or-offline'],
  ['restart', 'restartServer', 'daemon'],
] as const)('upstream %s', async (verb, route, how) => {
  const outcome = await cli(['upstream', verb, 'files'], { answers: { [route]: server } });
  expect([outcome.code, outcome.requests, outcome.connects]).toEqual([
    0,
    [[route, { name: 'files' }]],
    [[{}, how]],
  ]);
  expect(outcome.stdout).toMatch(/^State +ready$/m);
});

describe('upstream logs', () => {
  test('lines with their time; control characters shown', async () => {
    const log = { lines: [{ time: '2025-01-15T10:00:00Z', text: 'hello\u0007' }], dropped: 4 };
    const outcome = await cli(['upstream', 'logs', 'files', '--tail', '20'], {
      answers: { serverLogs: log },
    });
    expect(outcome.requests).toEqual([['serverLogs', { name: 'files', tail: 20 }]]);
    expect(outcome.stdout).toMatch(/^\d{4}-01-1\d \d\d:\d\d:00\S* hello\\u\{7\}\n$/);
    expect(outcome.stderr).toBe('4 older lines dropped.\n');
  });

  test.each([['restart'], ['logs']])('%s needs the daemon and says how to start it', async (verb) => {
    const connect = () => Promise.reject(new ProxyError('NO_DAEMON', 'No mcpproxy answers'));
    const { code, stderr } = await cli(['upstream', verb, 'files'], { runtime: { connect } });
    expect(code).toBe(7);
    expect(stderr).toContain('mcpproxy serve');
  });
});
