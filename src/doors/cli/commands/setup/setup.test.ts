import { expect, test } from 'vitest';
import { cli, type Given } from '../../../../../test/fixtures/fake-cli.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import type { SetupState } from '../../runtime.ts';
import { policyBody } from './policy-step.ts';

const settings = { approvals: { require: [] }, intent_declaration: { unannotated: 'trust' } };
const answers = {
  status: { listen: 'http://127.0.0.1:8080' },
  getConfig: { settings },
  replayApprovals: ({ body }: { body: { require: string[] } }) => ({ calls: 10, ask: body.require.length }),
  updateConfig: { settings },
  removeServer: {},
};

function run(argv: string[], { runtime, ...given }: Given = {}) {
  const states: Array<SetupState | undefined> = [];
  const read = async () => ({
    servers: ['a'],
    clients: [],
    started: true,
    policy: { require: ['x'], unannotated: null },
  });
  const setup = {
    start: () => Promise.reject(new Error('not expected')),
    read: argv.includes('--undo') ? read : async () => ({ servers: [], clients: [] }),
    write: async (_: unknown, state: SetupState | undefined) => void states.push(structuredClone(state)),
    fileSettings: async () => ({ approvals: { require: [] }, listen: 'x' }),
    secretFiles: async () => ['/d/secrets/a.env.KEY.1', '/d/secrets/a.env.KEY.2'],
    removeSecrets: async () => ['/d/secrets/a.env.KEY.2'],
  };
  return cli(['setup', ...argv], { answers, ...given, runtime: { setup, ...runtime } }).then((outcome) => ({
    ...outcome,
    states,
  }));
}

test('without a terminal it needs --yes; an unknown step is named', async () => {
  const { code, stderr } = await run([]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('or with --yes')]);
  expect((await run(['--yes', '--skip', 'imprt'])).stderr).toContain("there is no step 'imprt'");
});

test('--yes proposes to ask before destructive calls, and says what each policy would have done', async () => {
  const { code, stdout, requests, states } = await run(['--yes', '--skip', 'import,connect,browser']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /watch only[^\n]*0 of 10 recorded calls[^]*\* ask before destructive[^\n]*1 of 10[^]*every change: 2 of 10/,
  );
  expect(requests.at(-1)).toEqual([
    'updateConfig',
    { body: { approvals: { require: ['destructive'] }, intent_declaration: { unannotated: 'infer' } } },
  ]);
  // Null: the file does not have the key, so --undo removes it.
  expect(states.at(-1)!.policy).toEqual({ require: [], unannotated: null });
});

test('a file of a client that cannot be read is named with the reason', async () => {
  const broken = {
    title: 'Cursor',
    scope: 'user' as const,
    file: '/h/mcp.json',
    servers: [],
    problem: 'line 1, column 2: invalid JSON',
  };
  const { code, stdout } = await run(['--yes', '--skip', 'connect,policy,browser'], {
    runtime: { findServers: async () => [broken] },
  });
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      /2\. Servers\n {3}not read: Cursor: \/h\/mcp\.json: line 1, column 2: invalid JSON\n {3}none in the other files\n/,
    ),
  ]);
});

test('a policy that somebody has made is kept', async () => {
  const own = { approvals: { require: [{ server: 'x' }] }, intent_declaration: { unannotated: 'strict' } };
  const { requests, stdout } = await run(['--yes', '--skip', 'import,connect,browser'], {
    answers: { ...answers, getConfig: { settings: own } },
  });
  expect(requests.map(([name]) => name)).not.toContain('updateConfig');
  expect(stdout).toContain('as it is');
});

test('on a terminal each step asks; Esc leaves it as it is', async () => {
  const skip = ['--skip', 'import,connect,browser'];
  const terminal = { in: true, err: true };
  const chosen = await run(skip, { terminal, selections: [[2]] });
  expect(chosen.requests.at(-1)).toMatchObject([
    'updateConfig',
    { body: { approvals: { require: ['write', 'destructive'] } } },
  ]);
  const skipped = await run(skip, { terminal });
  expect(skipped.requests.map(([name]) => name)).not.toContain('updateConfig');
});

const paths = async () => ({ config_file: '/d/mcp_config.json', data_dir: '/d' });

test('--undo removes servers and secrets, puts the policy back, stops the proxy and says what remains', async () => {
  const unused = () => Promise.reject(new Error('not expected'));
  const { code, requests, states, stdout } = await run(['--undo'], {
    runtime: {
      stop: async () => ({ pid: 4711 }),
      config: { paths, show: unused, validate: unused },
    },
  });
  expect([code, requests, states]).toEqual([
    0,
    [
      ['removeServer', { name: 'a' }],
      [
        'updateConfig',
        { body: { approvals: { require: ['x'] }, intent_declaration: { unannotated: null } } },
      ],
    ],
    [undefined],
  ]);
  expect(stdout).toMatch(
    /removed +1 of 2 files with imported secrets[^]*stopped +the proxy \(process 4711\)/,
  );
  expect(stdout).toMatch(/remains +\/d\/secrets\/a\.env\.KEY\.2: a server still uses it[^]*remains +\/d: /);
});

test('a group of settings that has nothing else goes with its key', () => {
  const before = { require: null, unannotated: null };
  const file = {
    approvals: { require: ['destructive'] },
    intent_declaration: { unannotated: 'infer', x: 1 },
  };
  expect(policyBody(before, file)).toEqual({ approvals: null, intent_declaration: { unannotated: null } });
});

test('--dry-run says what it would do, and writes nothing', async () => {
  const { code, stdout, states, requests } = await run(['--dry-run', '--skip', 'connect'], {
    answers: { ...answers, importServers: { servers: [{ entry: 0, alias: 'notes', state: 'added' }] } },
    runtime: {
      findServers: async () => [
        {
          title: 'Codex',
          scope: 'user',
          file: '/h/c.toml',
          servers: [
            { name: 'notes', folder: '/p', config: {}, warnings: [], inputs: [] },
            { name: 'web', config: {}, problem: 'needs a "command"', warnings: [], inputs: [] },
          ],
        },
      ],
      config: {
        paths,
        show: async () => ({ approvals: { require: [] } }),
        validate: () => Promise.reject(new Error('not expected')),
      },
    },
  });
  expect([code, states]).toEqual([0, []]);
  expect(
    requests.filter(
      ([name, input]) => name !== 'status' && !JSON.stringify(input).includes('"dry_run":true'),
    ),
  ).toEqual([]);
  expect(stdout).toMatch(
    /proxy +runs at[^]*server +notes \(Codex, \/p\)\nleft +web \(Codex\): needs a "command"\n[^]*policy +ask before destructive calls/,
  );
});

test('--dry-run names a client whose file cannot be changed, and goes on with the others', async () => {
  const known = { found: true, verified: '1', connected: false };
  const find = async () => ['codex', 'zed'].map((id) => ({ ...known, id, title: id.toUpperCase() }));
  const plan = async (_: unknown, { client }: { client: string }) => {
    if (client === 'codex') throw new ProxyError('CONFIG_INVALID', 'it is a\u001b loop');
    return { client, title: 'ZED', verified: '1', files: [], notes: [], rules: null };
  };
  const { code, stdout } = await run(['--dry-run', '--keep-servers', '--skip', 'import,policy'], {
    runtime: { clients: { find, plan, status: async () => [] } as never },
  });
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/client +ZED\nfailed +CODEX: it is a\\u\{1b\} loop\n/),
  ]);
});

test('the clients that are connected already are in the result too', async () => {
  const client = { id: 'codex', title: 'Codex', found: true, verified: '1', connected: true };
  const connection = {
    client: 'codex',
    scope: 'user',
    url: 'http://127.0.0.1:8080/mcp',
    token: { id: '1' },
    problems: [],
    connected_at: '',
  };
  const clients = { find: async () => [client], status: async () => [connection] };
  const { code, stdout, asked } = await run(['--skip', 'import,policy,browser', '-o', 'json'], {
    terminal: { in: true, err: true },
    answers: { ...answers, listTokens: { tokens: [{ id: '1', status: 'active' }] } },
    runtime: { clients: clients as never, findServers: async () => [] },
  });
  const { steps } = JSON.parse(stdout) as { steps: Array<{ step: string; result: unknown }> };
  expect([code, asked]).toEqual([0, []]);
  expect(steps.find(({ step }) => step === 'Clients')!.result).toMatchObject({
    clients: [{ client: 'codex', state: 'connected', already: true }],
  });
});

test('after Ctrl-C it says what is done, what was begun and what remains, and the ways on and back', async () => {
  let interrupt: (exitCode: number) => void = () => undefined;
  const { code, stderr, states } = await run(['--yes', '--skip', 'connect'], {
    onStart: (given) => (interrupt = given),
    answers: {
      ...answers,
      // Nobody answers any more: only the interruption ends the step.
      replayApprovals: () => {
        interrupt(130);
        return new Promise(() => undefined);
      },
    },
    runtime: { findServers: async () => [] },
  });
  expect(code).toBe(130);
  expect(stderr.trim().split('\n')).toEqual([
    'Interrupted.',
    'Done:      Proxy, Servers',
    'Begun:     Policy',
    'Not begun: Browser',
    'To go on: mcpproxy setup',
    'To take back what was done: mcpproxy setup --undo',
  ]);
  // What --undo reads.
  expect(states.at(-1)).toMatchObject({ servers: [] });
});

test('on a narrow terminal long lines go on below at a word', async () => {
  const { stdout } = await run(['--yes', '--skip', 'import,connect,browser'], {
    terminal: { out: true, columns: 60 },
  });
  const lines = stdout.split('\n');
  expect(lines.filter((line) => line.length > 60)).toEqual([]);
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'tools without annotations are judged by what they seem to do (unannotated: "infer")',
  );
  expect(lines).toContain('   tools without annotations are judged by what they seem');
  // Of a form that no browser is started for.
  const url = `link://127.0.0.1:8080/#login=${'x'.repeat(40)}`;
  const opened = await run(['--skip', 'import,connect,policy'], {
    terminal: { in: true, out: true, err: true, columns: 60 },
    answers: { ...answers, createLoginLink: { url, expires_at: '' } },
  });
  expect(opened.stdout).toContain(`   ${url}   (works once`);
});

test('a person who chooses nothing is not told that there is nothing', async () => {
  const file = { title: 'Codex', scope: 'user' as const, file: '/h/c.toml' };
  const servers = [{ name: 'notes', config: {}, warnings: [], inputs: [] }];
  const client = { id: 'codex', title: 'Codex', found: true, verified: '1', connected: false };
  const { stdout } = await run(['--skip', 'policy,browser'], {
    terminal: { in: true, err: true },
    answers: {
      ...answers,
      importServers: { servers: [{ entry: 0, alias: 'notes', state: 'added' }] },
      listTokens: { tokens: [] },
    },
    runtime: {
      findServers: async () => [{ ...file, servers }],
      clients: { find: async () => [client], status: async () => [] } as never,
    },
  });
  expect(stdout).toMatch(/2\. Servers\n {3}none chosen\n3\. Clients\n {3}none chosen\n/);
});

test('clients that could not be connected are named at the end of the step, with what to do', async () => {
  const client = { found: true, verified: '1', connected: false };
  const find = async () => ['codex', 'zed'].map((id) => ({ ...client, id, title: id.toUpperCase() }));
  const plan = () => Promise.reject(new ProxyError('CONFIG_INVALID', 'it is broken'));
  const { code, stdout } = await run(['--yes', '--keep-servers', '--skip', 'import,policy,browser'], {
    answers: { ...answers, listTokens: { tokens: [] } },
    runtime: { clients: { find, plan, status: async () => [] } as never },
  });
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(
      /failed {2}CODEX\n +it is broken\n[^]*not connected: CODEX, ZED\. Fix what is said above, then run "mcpproxy setup" again\n/,
    ),
  ]);
});
