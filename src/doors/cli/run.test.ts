import { describe, expect, test } from 'vitest';
import { ERRORS, ProxyError, type ErrorCode } from '../../contract/errors.ts';
import { cli } from '../../../test/fixtures/fake-cli.ts';
import { buildProgram } from './program.ts';
import { examplesOf } from './define.ts';
import { commandNodes } from './commands/completion.ts';

const failing = (error: unknown) => ({ answers: { listServers: () => Promise.reject(error) } });

describe('help and version', () => {
  test('-V prints the version and nothing else', async () => {
    expect(await cli(['-V'])).toMatchObject({ code: 0, stdout: '1.2.3\n', stderr: '' });
  });

  test('every command has a help with two or three examples of itself', async () => {
    const program = await buildProgram(() => () => Promise.resolve(), '');
    for (const { path } of commandNodes(program)) {
      const words = path.split(' ').filter(Boolean);
      const { code, stdout, stderr } = await cli([...words, '--help']);
      expect([code, stderr], path).toEqual([0, '']);
      const command = words.reduce(
        (at, word) => at.commands.find((child) => child.name() === word)!,
        program,
      );
      const examples = examplesOf(command);
      expect(examples.length, path).toBeGreaterThanOrEqual(2);
      expect(examples.length, path).toBeLessThanOrEqual(3);
      for (const example of examples) {
        expect(stdout).toContain(example);
        expect(example).toContain(['mcpproxy', ...words].join(' '));
      }
    }
  });

  test('a group without its command shows its help on stderr and is a usage error', async () => {
    const { code, stdout, stderr } = await cli(['activity']);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/Usage: mcpproxy activity .*list.*error: A command is missing/s);
  });
});

describe('usage errors end with 2 and name what was meant', () => {
  test.each([
    [['activty'], "unknown command 'activty'. Did you mean activity?"],
    [['activity', 'lst'], "unknown command 'lst'. Did you mean list?"],
    [['activity', 'list', '--statsu', 'error'], "unknown option '--statsu'. Did you mean --status?"],
    [
      ['activity', 'list', '--status', 'bad'],
      'Allowed choices are success, error, refused, pending, denied, expired, unknown.',
    ],
    [['activity', 'list', '--limit', '0'], 'must be between 1 and 100'],
    [['tools', 'show'], "missing required argument 'server:tool'"],
    [['tools', 'show', 'a:b', 'extra'], 'too many arguments'],
    [['status', '-o', 'xml'], 'Allowed choices are table, json, yaml.'],
  ])('%j', async (argv, says) => {
    const { code, stdout, stderr, requests } = await cli(argv);
    expect(stderr).toContain(says);
    expect(stderr).toMatch(/^error: .*\n {2}code: USAGE\n {2}next: run the command with --help/);
    expect([code, stdout, requests]).toEqual([2, '', []]);
  });

  test.each([
    [['activity', 'list', '--since', 'tomorrow'], 'is not a valid time'],
    [['status', '--url', 'localhost:8080'], '--url must start with http:// or https://'],
    [['activity', 'verify', '--public-key', import.meta.filename], 'run.test.ts is not a public key'],
    [['activity', 'verify', '--checkpoint', import.meta.filename], 'run.test.ts: line 1 is no checkpoint'],
    [['activity', 'export', '--output', import.meta.filename], 'run.test.ts exists. Choose another name'],
  ])('%j says itself what to do', async (argv, says) => {
    const { code, stderr, requests } = await cli(argv);
    expect(stderr).toContain(says);
    expect(stderr).toMatch(/\n {2}code: USAGE\n$/);
    expect([code, requests]).toEqual([2, []]);
  });

  test.each([
    [['status', '--api-key', 'mcpp_x'], {}, 'leave --api-key out'],
    [['status'], { MCPPROXY_API_KEY: 'mcpp_x' }, 'unset MCPPROXY_API_KEY'],
    [['status'], { MCPPROXY_TOKEN: 'mcpp_x' }, 'unset MCPPROXY_TOKEN'],
  ])('an agent token is named by its place: %j %j', async (argv, env, says) => {
    const refuse = () => Promise.reject(new ProxyError('TOKEN_NOT_ALLOWED', 'no'));
    const { stderr } = await cli(argv, { env, runtime: { connect: refuse } });
    expect(stderr).toContain(`next: to act as operator, ${says} or use the operator’s key`);
  });

  test('a wrong MCPPROXY_OUTPUT is said, not ignored', async () => {
    const { code, stderr } = await cli(['upstream', 'list'], { env: { MCPPROXY_OUTPUT: 'xml' } });
    expect(code).toBe(2);
    expect(stderr).toContain("MCPPROXY_OUTPUT must be one of table, json, yaml, got 'xml'");
  });
});

describe('global flags', () => {
  test.each([
    [['--data-dir', '/d', '--config', '/c', 'upstream', 'list']],
    [['upstream', '--data-dir', '/d', '--config', '/c', 'list']],
    [['upstream', 'list', '--data-dir=/d', '--config=/c']],
  ])('work in every place: %j', async (argv) => {
    const { connects } = await cli(argv, { answers: { listServers: { servers: [] } } });
    expect(connects).toEqual([[{ config: '/c', dataDir: '/d' }, 'daemon-or-embedded']]);
  });

  test('the one nearest to the command wins; the flag beats the environment', async () => {
    const answers = { listServers: { servers: [] } };
    const env = { MCPPROXY_OUTPUT: 'yaml' };
    expect((await cli(['-o', 'yaml', 'upstream', 'list', '-o', 'json'], { answers })).stdout).toBe(
      '{\n  "servers": []\n}\n',
    );
    expect((await cli(['upstream', 'list', '-o', 'json'], { answers, env })).stdout).toBe(
      '{\n  "servers": []\n}\n',
    );
    expect((await cli(['upstream', 'list'], { answers, env })).stdout).toBe('servers: []\n');
  });

  test('address and key reach the connection', async () => {
    const { connects } = await cli(
      ['status', '--url', 'http://127.0.0.1:9', '--api-key', 'k'],
      failing(new Error('x')),
    );
    expect(connects).toEqual([[{ url: 'http://127.0.0.1:9', apiKey: 'k' }, 'daemon']]);
  });
});

describe('errors', () => {
  test.each(Object.keys(ERRORS) as ErrorCode[])(
    '%s ends with the exit code of its entry in ERRORS',
    async (code) => {
      const outcome = await cli(['upstream', 'list'], failing(new ProxyError(code, 'It went wrong')));
      expect(outcome.code).toBe(ERRORS[code].exit);
      expect(outcome.stderr).toContain(`error: It went wrong\n  code: ${code}\n`);
      expect([outcome.stdout, outcome.closed]).toEqual(['', 1]);
    },
  );

  test('with -o json the error is JSON on stderr and stdout stays empty', async () => {
    const error = new ProxyError('NOT_FOUND', 'No server\u202e x', { request_id: 'r1' });
    const { code, stdout, stderr } = await cli(['upstream', 'list', '-o', 'json'], failing(error));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('\\u202e');
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'NOT_FOUND', message: 'No server\u202e x', details: { request_id: 'r1' } },
    });
  });

  test('a command line that does not parse answers in JSON too', async () => {
    for (const argv of [
      ['-o', 'json', 'nope'],
      ['status', '--output=json', '--nope'],
      ['nope', '-ojson'],
    ]) {
      expect(JSON.parse((await cli(argv)).stderr)).toMatchObject({ error: { code: 'USAGE' } });
    }
  });

  test('text of others cannot drive the terminal through a message', async () => {
    const { stderr } = await cli(
      ['upstream', 'list'],
      failing(new ProxyError('UPSTREAM_FAILED', 'bad \u001b]0;title\u0007')),
    );
    expect(stderr).toContain('error: bad \\u{1b}]0;title\\u{7}\n');
  });

  test('something unforeseen is a general error with its cause', async () => {
    const { code, stderr } = await cli(['upstream', 'list'], failing(new TypeError('boom')));
    expect(code).toBe(1);
    expect(stderr).toContain('error: Internal error: boom');
  });

  test('colour only where it is wanted', async () => {
    const red = '\u001b[31merror:';
    const given = failing(new ProxyError('NOT_FOUND', 'x'));
    expect((await cli(['upstream', 'list'], { ...given, terminal: { err: true } })).stderr).toContain(red);
    expect(
      (await cli(['upstream', 'list'], { ...given, terminal: { err: true }, env: { NO_COLOR: '1' } })).stderr,
    ).not.toContain('\u001b');
    expect((await cli(['upstream', 'list'], { ...given, env: { FORCE_COLOR: '1' } })).stderr).toContain(red);
    expect((await cli(['upstream', 'list'], given)).stderr).not.toContain('\u001b');
  });
});

describe('ending early', () => {
  test('Ctrl-C during a request ends with 130, closed and without a complaint', async () => {
    let interrupt: (exitCode: number) => void = () => undefined;
    const outcome = await cli(['upstream', 'list'], {
      onStart: (it) => (interrupt = it),
      answers: { listServers: () => (interrupt(130), new Promise(() => undefined)) },
    });
    expect(outcome).toMatchObject({ code: 130, stdout: '', stderr: '', closed: 1 });
  });

  test('Ctrl-C while connecting waits for the connection only to close it', async () => {
    let interrupt: (exitCode: number) => void = () => undefined;
    let closed = false;
    const outcome = await cli(['upstream', 'list'], {
      onStart: (it) => (interrupt = it),
      runtime: {
        connect: (_, __, signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () =>
              resolve({
                client: {} as never,
                embedded: true,
                where: '',
                close: async () => void (closed = true),
              }),
            );
            interrupt(130);
          }),
      },
    });
    expect([outcome.code, outcome.stderr, closed]).toEqual([130, '', true]);
  });

  test('nobody reads stdout any more: a success', async () => {
    let interrupt: (exitCode: number) => void = () => undefined;
    const outcome = await cli(['upstream', 'list'], {
      onStart: (it) => (interrupt = it),
      answers: { listServers: () => (interrupt(0), new Promise(() => undefined)) },
    });
    expect(outcome).toMatchObject({ code: 0, stderr: '', closed: 1 });
  });
});

test('a person is told when no daemon was there; a script is not', async () => {
  const given = { answers: { listServers: { servers: [] } }, embedded: true };
  expect(
    (await cli(['upstream', 'list'], { ...given, terminal: { err: true }, env: { NO_COLOR: '1' } })).stderr,
  ).toBe('No daemon is running. The command runs in this process.\n');
  expect((await cli(['upstream', 'list'], given)).stderr).toBe('');
});

describe('global flags after a command', () => {
  const globals = ['-o', 'json', '--config', 'c.json', '--data-dir', 'd', '--url', 'http://127.0.0.1:1'];
  test.each([
    [['tools', 'list', '--server', 'a'], 'listTools', { server: 'a' }],
    [['tools', 'search', 'x'], 'searchTools', { q: 'x' }],
    [['activity', 'summary', '--period', '7d'], 'activitySummary', { period: '7d' }],
    [['activity', 'list', '--status', 'error'], 'listActivity', { status: 'error' }],
  ])('%j asks for what its own flags say and nothing else', async (argv, route, input) => {
    const answer = { tools: [], records: [], next_cursor: null, total: 0, query: '' };
    const { requests, connects } = await cli([...argv, ...globals], { answers: { [route]: answer } });
    expect(requests).toEqual([[route, input]]);
    expect(connects[0]![0]).toEqual({ config: 'c.json', dataDir: 'd', url: 'http://127.0.0.1:1' });
  });
});

describe('the next step of an error', () => {
  const next = async (argv: string[], error: ProxyError) => {
    const reject = () => Promise.reject(error);
    const answers = { getActivity: reject, revokeGrant: reject, listServers: reject };
    return (await cli(argv, { answers })).stderr;
  };
  const id = '01JHMWQ4M0AAAAAAAAAAAAAAAA';

  test('names the command that lists what exists', async () => {
    const missing = new ProxyError('NOT_FOUND', 'none');
    expect(await next(['activity', 'show', id], missing)).toContain('"mcpproxy activity list"');
    expect(await next(['approvals', 'grants', 'revoke', id], missing)).toContain(
      '"mcpproxy approvals grants list"',
    );
  });

  test('is not said twice', async () => {
    const gone = new ProxyError('NO_DAEMON', 'No mcpproxy answers: start it with "mcpproxy serve"');
    expect((await next(['upstream', 'list'], gone)).split('mcpproxy serve')).toHaveLength(2);
  });

  test('after wrong arguments is the schema of the tool', async () => {
    const wrong = new ProxyError('INVALID_TOOL_ARGUMENTS', 'wrong', { tool: 'github:get_thing' });
    expect(await next(['upstream', 'list'], wrong)).toContain('"mcpproxy tools show github:get_thing"');
  });
});
