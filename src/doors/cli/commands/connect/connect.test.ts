import { describe, expect, test } from 'vitest';
import { cli, type Given } from '../../../../../test/fixtures/fake-cli.ts';
import { tokenView } from '../../../../../test/fixtures/rest-parts.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import type { ClientConnection, ClientRuntime, ConnectPlan, WantedConnection } from '../../client-runtime.ts';

const SECRET = `mcpp_${'S'.repeat(49)}`;
const TOOLS = [
  'retrieve_tools',
  'describe_tool',
  'call_tool_read',
  'call_tool_write',
  'call_tool_destructive',
];

const planOf = ({ client, scope }: WantedConnection): ConnectPlan => ({
  client,
  title: client.toUpperCase(),
  scope,
  verified: client === 'zed' ? null : '1.2.3',
  token_name: client,
  ...(scope === 'project' && { variable: { name: 'THE_TOKEN' } }),
  rules: 'settings.json',
  notes: [],
  files: [
    { file: `/h/${client}.json`, change: 'change', diff: `--- /h/${client}.json\n+x\n`, has_token: true },
  ],
});

const connectionOf = (client: string, more: Partial<ClientConnection> = {}): ClientConnection => ({
  client,
  title: client.toUpperCase(),
  scope: 'user',
  folder: null,
  verified: '1.2.3',
  rules: 'settings.json',
  url: 'http://127.0.0.1:8080/mcp',
  stdio: false,
  token: { id: `id-${client}`, name: client },
  connected_at: '2025-01-01T00:00:00Z',
  files: [{ file: `/h/${client}.json`, copy: null }],
  taken: [],
  problems: [],
  ...more,
});

const clients: ClientRuntime = {
  find: async () =>
    ['codex', 'zed'].map((id) => ({
      id,
      title: id,
      found: true,
      verified: id === 'zed' ? null : '1',
      connected: false,
    })),
  plan: async (_, wanted) => planOf(wanted),
  apply: async (_, { client }) => connectionOf(client),
  alone: (_place, _signal, work) => work(),
  status: async () => [],
  named: async (name) => name.toLowerCase(),
  answers: async () => false,
  disconnect: async () => undefined,
  prove: async () => ({ protocol: '2025-11-25', tools: TOOLS }),
  print: async () => ({
    title: 'X',
    verified: null,
    token_name: 'x-elsewhere',
    variable: 'V',
    files: [{ file: 'f', text: '{}\n' }],
    notes: [],
  }),
};

const answers = {
  status: { listen: 'http://0.0.0.0:8080' },
  createToken: { ...tokenView('codex'), expires_at: null, token: SECRET },
  revokeToken: tokenView('codex'),
  listTokens: {
    tokens: [
      { ...tokenView('codex'), id: 'id-codex', status: 'active', last_used_at: '2025-01-02T00:00:00Z' },
    ],
  },
};

const run = (argv: string[], { runtime, ...given }: Given = {}) =>
  cli(argv, {
    answers,
    ...given,
    runtime: { clients, findServers: async () => [], ...runtime },
  });

describe('connect', () => {
  test('makes a token for all operations, writes, and proves; the token is not printed', async () => {
    const applied: unknown[] = [];
    const spy: ClientRuntime = {
      ...clients,
      apply: async (place, wanted, token) => {
        applied.push([wanted, token]);
        return clients.apply(place, wanted, token);
      },
    };
    const { code, stdout, stderr, requests } = await run(['connect', 'codex', 'zed'], {
      runtime: { clients: spy },
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /connected {2}CODEX\n[^]*rules {2}read: allow, write: ask, destructive: ask[^]*5 tools/,
    );
    expect(stdout).toMatch(/connected {2}ZED \(unverified/);
    expect(stdout).not.toContain(SECRET);
    expect(requests.filter(([name]) => name === 'createToken')).toEqual([
      ['createToken', { body: { name: 'codex', replace: true, mode: 'search' } }],
      ['createToken', { body: { name: 'zed', replace: true, mode: 'search' } }],
    ]);
    expect(applied[0]).toEqual([
      { client: 'codex', scope: 'user', url: 'http://127.0.0.1:8080/mcp' },
      { id: expect.any(String), name: 'codex', secret: SECRET },
    ]);
  });

  test('without a client and without a terminal it says what to do', async () => {
    const { code, stderr } = await run(['connect']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/Name the clients .*--all\. On this machine: codex, zed\n/),
    ]);
    const nothing = await run(['connect'], { runtime: { clients: { ...clients, find: async () => [] } } });
    expect(nothing.stderr).toContain('No client program was found');
    expect((await run(['connect', '--all'])).stdout).toContain('connected  ZED');
  });

  test('on a terminal it asks with the arrow keys', async () => {
    const terminal = { in: true, err: true };
    const one = await run(['connect'], { terminal, selections: [[1]] });
    expect([one.asked, one.stdout.includes('ZED'), one.stdout.includes('CODEX')]).toEqual([
      ['Connect which clients?'],
      true,
      false,
    ]);
    expect((await run(['connect'], { terminal })).stderr).toContain('Nothing was connected');
  });

  test('a file that cannot be changed does not end the token, and does not affect the others', async () => {
    const plan: ClientRuntime['plan'] = async (place, wanted) => {
      if (wanted.client === 'codex')
        throw new ProxyError('CONFIG_INVALID', '/h/codex.json cannot be changed: no');
      return clients.plan(place, wanted);
    };
    const { code, stdout, requests } = await run(['connect', 'codex', 'zed'], {
      runtime: { clients: { ...clients, plan } },
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/failed {2}codex[^]*cannot be changed: no\n[^]*connected {2}ZED/);
    expect(requests.filter(([name]) => name === 'createToken')).toHaveLength(1);
  });

  test('a write that fails revokes the new token', async () => {
    const apply: ClientRuntime['apply'] = () => Promise.reject(new ProxyError('CONFIG_INVALID', 'disk full'));
    const { code, stdout, requests } = await run(['connect', 'codex'], {
      runtime: { clients: { ...clients, apply } },
    });
    expect([code, stdout]).toEqual([1, expect.stringContaining('disk full')]);
    expect(requests.at(-1)![0]).toBe('revokeToken');
  });

  test('token, files and proof are one piece that no other command can come between', async () => {
    const steps: string[] = [];
    const note = (step: string) => void steps.push(step);
    const spy: ClientRuntime = {
      ...clients,
      async alone(_place, _signal, work) {
        note('alone');
        return work().finally(() => note('over'));
      },
      apply: async (place, wanted, token) => {
        note('write');
        return clients.apply(place, wanted, token);
      },
      prove: async (...args) => {
        note('prove');
        return clients.prove(...args);
      },
      disconnect: async () => {
        note('take back');
        return { connection: connectionOf('codex'), files: [] };
      },
      status: async () => [connectionOf('codex')],
    };
    const noting = (name: string, value: unknown) => () => {
      note(name);
      return value;
    };
    const given: Given = {
      runtime: { clients: spy },
      answers: {
        ...answers,
        createToken: noting('token', answers.createToken),
        revokeToken: noting('revoke', answers.revokeToken),
      },
    };
    await run(['connect', 'codex'], given);
    await run(['disconnect', 'codex'], given);
    expect(steps.join(', ')).toBe('alone, token, write, prove, over, alone, take back, revoke, over');
  });

  test('a proxy that does not list all tools, or a rule that cannot be read back, is a failure', async () => {
    const prove = async () => ({ protocol: 'x', tools: TOOLS.slice(1) });
    const blind = await run(['connect', 'codex', '-o', 'json'], {
      runtime: { clients: { ...clients, prove } },
    });
    expect([blind.code, JSON.parse(blind.stdout)]).toMatchObject([
      1,
      { clients: [{ state: 'failed', reason: expect.stringContaining('retrieve_tools') }] },
    ]);
    const apply = async () => connectionOf('codex', { problems: ['permissions.ask has no x'] });
    const drifted = await run(['connect', 'codex'], { runtime: { clients: { ...clients, apply } } });
    expect([drifted.code, drifted.stdout]).toEqual([1, expect.stringContaining('permissions.ask has no x')]);
  });

  test('files of a project: the token is shown once, with the variable to set', async () => {
    const { stdout } = await run(['connect', 'codex', '--scope', 'project']);
    expect(stdout).toContain(`export THE_TOKEN=${SECRET}`);
  });

  test('--dry-run and --print change nothing', async () => {
    const dry = await run(['connect', 'codex', '--dry-run']);
    expect([dry.code, dry.stdout]).toEqual([0, 'CODEX\n--- /h/codex.json\n+x\n']);
    expect(dry.requests.map(([name]) => name)).toEqual(['status']);
    const printed = await run(['connect', 'codex', '--print']);
    expect(printed.stdout).toMatch(/^# X \(unverified: /);
    expect(printed.stdout).toContain('# Token: mcpproxy tokens create --name x-elsewhere\n');
    expect((await run(['connect', 'codex', '--print', '--dry-run'])).code).toBe(2);
  });

  test.each([
    ['https://h/tools', 'https://h/tools/mcp'],
    ['http://h:1/tools/', 'http://h:1/tools/mcp'],
    ['http://h:1/mcp', 'http://h:1/mcp'],
  ])('a client gets the address that --url names, with its path: %s', async (given, url) => {
    const planned: WantedConnection[] = [];
    const plan: ClientRuntime['plan'] = async (_, wanted) => {
      planned.push(wanted);
      return planOf(wanted);
    };
    await run(['connect', 'codex', '--dry-run', '--url', given], {
      runtime: { clients: { ...clients, plan } },
    });
    expect(planned).toMatchObject([{ url }]);
  });

  test('other servers of the client are imported, and only those that run leave its file', async () => {
    const server = (name: string) => ({ name, config: { command: name }, warnings: [], inputs: [] });
    const file = { client: 'codex', title: 'Codex', scope: 'user' as const, file: '/h/codex.json' };
    const asking = { ...server('asking'), inputs: [{ id: 'key', description: 'Key', secret: true }] };
    const servers = [...['up', 'down', 'mcpproxy', 'other'].map(server), asking];
    const importServers = ({ body }: { body: { servers: Array<{ entry: number }> } }) => ({
      servers: body.servers.map(({ entry }) => ({
        entry,
        name: servers[entry]!.name,
        alias: servers[entry]!.name,
        state: entry < 2 ? 'added' : 'known',
        ...(entry === 2 && { known_as: 'self' }),
        ...(entry === 3 && { known_as: 'target', reason: 'with other values' }),
        ...(entry === 4 && { known_as: 'target', reason: 'already in the configuration' }),
      })),
    });
    const wanted: WantedConnection[] = [];
    const apply: ClientRuntime['apply'] = async (_, each) => {
      wanted.push(each);
      return connectionOf('codex');
    };
    const listServers = {
      servers: [
        { name: 'up', state: 'ready' },
        { name: 'down', state: 'failed' },
      ],
    };
    const { stdout } = await run(['connect', 'codex', '--take-servers'], {
      answers: { ...answers, importServers, listServers },
      runtime: { clients: { ...clients, apply }, findServers: async () => [{ ...file, servers }] },
    });
    expect(wanted[0]!.taken).toEqual([{ file: '/h/codex.json', names: ['up'] }]);
    expect(stdout).toMatch(
      /taken {2}up: behind the proxy[^]*left {3}down: it is not ready[^]*left {3}other: with other values/,
    );
    expect(stdout).toContain(
      "left   asking: it asks for a value, and 'asking' behind the proxy has one of its own",
    );
    expect(stdout).not.toContain('left   mcpproxy');
    // A form that cannot be edited: the client is connected all the same.
    const plan: ClientRuntime['plan'] = async (_, each) =>
      each.taken ? Promise.reject(new ProxyError('CONFIG_INVALID', 'odd form')) : planOf(each);
    const odd = await run(['connect', 'codex', '--take-servers'], {
      answers: { ...answers, importServers, listServers },
      runtime: { clients: { ...clients, apply, plan }, findServers: async () => [{ ...file, servers }] },
    });
    expect([odd.code, wanted[1]!.taken]).toEqual([0, undefined]);
    expect(odd.stdout).toContain('left   up: behind the proxy now, but still in the file: odd form');
  });
});

const notes = {
  title: 'X',
  scope: 'user' as const,
  file: '/h/x.json',
  servers: [{ name: 'notes', config: {}, warnings: [], inputs: [] }],
};
const planned = { entry: 0, name: 'notes', alias: 'notes', state: 'added', transport: 'stdio', target: 'x' };

describe('connect', () => {
  test('asks everything before it writes: Ctrl-C at the second question changes nothing', async () => {
    let interrupt: ((exitCode: number) => void) | undefined;
    const asked: string[] = [];
    const { code, stderr, requests } = await run(['connect', 'codex', 'zed'], {
      terminal: { in: true, err: true },
      onStart: (each) => (interrupt = each),
      answers: {
        ...answers,
        importServers: () => {
          asked.push('plan');
          if (asked.length === 2) interrupt!(130);
          return { servers: [planned] };
        },
      },
      runtime: { findServers: async () => [notes] },
    });
    expect(code).toBe(130);
    expect(stderr).toContain('Interrupted. Nothing was connected.');
    expect(requests.map(([name]) => name)).not.toContain('createToken');
  });

  test('an interruption later says what is connected, and how to take it back', async () => {
    let interrupt: ((exitCode: number) => void) | undefined;
    const { code, stderr } = await run(['connect', 'codex', 'zed'], {
      onStart: (each) => (interrupt = each),
      runtime: {
        clients: {
          ...clients,
          prove: (_, __, signal) => {
            interrupt!(130);
            return Promise.reject(signal.reason as Error);
          },
        },
      },
    });
    expect(code).toBe(130);
    expect(stderr).toContain('Connected already: CODEX. To take it back: mcpproxy disconnect codex');
  });

  test('an unknown client is an error of usage; one with a broken file keeps its title', async () => {
    const plan = (code: 'USAGE' | 'CONFIG_INVALID') => () => Promise.reject(new ProxyError(code, 'why'));
    // Also where no proxy runs.
    const connect = () => Promise.reject(new ProxyError('NO_DAEMON', 'none'));
    const unknown = await run(['connect', 'x'], {
      runtime: { connect, clients: { ...clients, named: plan('USAGE') } },
    });
    expect([unknown.code, unknown.stdout]).toEqual([2, '']);
    const broken = await run(['connect', 'codex'], {
      runtime: { clients: { ...clients, plan: plan('CONFIG_INVALID') } },
    });
    expect([broken.code, broken.stdout]).toEqual([1, 'failed  codex\n  why\n']);
  });
});

describe('connect --status and doctor', () => {
  const status = async () => [
    connectionOf('codex'),
    connectionOf('zed', { problems: ['/h/zed.json: the file is gone'] }),
    connectionOf('qwen', { token: { id: 'gone', name: 'qwen' } }),
  ];
  const tokens = {
    tokens: [
      { ...tokenView('codex'), id: 'id-codex', status: 'active', last_used_at: '2025-01-02T00:00:00Z' },
      { ...tokenView('zed'), id: 'id-zed', status: 'active', last_used_at: '2025-01-01T00:00:01Z' },
      { ...tokenView('qwen'), id: 'gone', status: 'revoked' },
    ],
  };

  test('who is connected, with which token, what has changed, and when it was last seen', async () => {
    const { code, stdout } = await run(['connect', '--status', '-o', 'json'], {
      answers: { ...answers, listTokens: tokens },
      runtime: { clients: { ...clients, status } },
    });
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      {
        clients: [
          { client: 'codex', state: 'connected', last_seen_at: '2025-01-02T00:00:00Z' },
          // The proof of the connection is no use by the client.
          { client: 'zed', state: 'changed', last_seen_at: null },
          { client: 'qwen', state: 'no token', token_status: 'revoked' },
        ],
      },
    ]);
    expect((await run(['connect', '--status'])).stderr).toContain('No client is connected');
  });

  test('a client that is named is found in any spelling; one that is not connected is said to be so', async () => {
    const given = {
      answers: { ...answers, listTokens: tokens },
      runtime: { clients: { ...clients, status } },
    };
    const here = await run(['connect', '--status', 'Codex'], given);
    expect([here.code, here.stdout]).toEqual([0, expect.stringContaining('CODEX')]);
    const absent = await run(['connect', '--status', 'gemini'], given);
    expect([absent.code, absent.stderr]).toEqual([
      1,
      'gemini is not connected. To connect it: mcpproxy connect gemini\n',
    ]);
    const named = () => Promise.reject(new ProxyError('USAGE', 'no such client'));
    const unknown = await run(['connect', '--status', 'x'], { runtime: { clients: { ...clients, named } } });
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('no such client')]);
  });

  test('an entry that leads to an address where nothing answers is no connection', async () => {
    const old = 'http://127.0.0.1:9090/mcp';
    const moved = [connectionOf('codex', { url: old }), connectionOf('zed', { url: old, stdio: true })];
    const given = (listens: boolean): Given => ({
      answers: { ...answers, listTokens: tokens },
      runtime: { clients: { ...clients, status: async () => moved, answers: async () => listens } },
    });
    const lost = await run(['connect', '--status', '-o', 'json'], given(false));
    expect([lost.code, JSON.parse(lost.stdout)]).toMatchObject([
      1,
      {
        clients: [
          {
            state: 'changed',
            problems: [`nothing answers at ${old}: the proxy is at http://127.0.0.1:8080/mcp`],
          },
          // It finds the proxy by itself.
          { state: 'connected', problems: [] },
        ],
      },
    ]);
    // Another way to the proxy, such as a forwarded port.
    expect((await run(['connect', '--status'], given(true))).code).toBe(0);
  });

  test('while no proxy runs, only clients that start one by themselves are connected', async () => {
    const connections = [connectionOf('codex'), connectionOf('zed', { stdio: true })];
    const { code, stdout } = await run(['connect', '--status', '-o', 'json'], {
      answers: { ...answers, listTokens: tokens },
      embedded: true,
      runtime: { clients: { ...clients, status: async () => connections, answers: async () => false } },
    });
    expect([code, JSON.parse(stdout)]).toMatchObject([
      1,
      { clients: [{ state: 'no proxy', problems: [] }, { state: 'connected' }] },
    ]);
    const shown = await run(['connect', '--status'], {
      answers: { ...answers, listTokens: tokens },
      embedded: true,
      runtime: { clients: { ...clients, status: async () => connections, answers: async () => false } },
    });
    expect(shown.stdout).toMatch(/no proxy[^]*nothing answers at[^]*Start the proxy with:\s+mcpproxy serve/);
  });
});

describe('--url', () => {
  const url = 'https://p.example/tools';

  test('is the address that the client gets', async () => {
    const urls: string[] = [];
    const apply: ClientRuntime['apply'] = async (place, wanted, token) => {
      urls.push(wanted.url);
      return clients.apply(place, wanted, token);
    };
    await run(['connect', 'codex', '--url', url], { runtime: { clients: { ...clients, apply } } });
    expect(urls).toEqual([`${url}/mcp`]);
  });

  test('of another machine says nothing about the addresses in the entries here', async () => {
    const asked: string[] = [];
    const answersAt = async (at: string) => {
      asked.push(at);
      return false;
    };
    const { code } = await run(['connect', '--status', '--url', url], {
      runtime: { clients: { ...clients, answers: answersAt, status: async () => [connectionOf('codex')] } },
    });
    expect([code, asked]).toEqual([0, []]);
  });
});

describe('disconnect', () => {
  test('says what became of each file, and revokes the token', async () => {
    const disconnect: ClientRuntime['disconnect'] = async (_, { client }) => ({
      connection: connectionOf(client, { taken: [{ file: '/h/codex.json', names: ['a'] }] }),
      files: [
        { file: '/h/codex.json', change: 'restored' },
        { file: '/h/own.toml', change: 'left', reason: 'it was edited' },
      ],
    });
    const { code, stdout, requests } = await run(['disconnect', 'Codex'], {
      runtime: { clients: { ...clients, disconnect, status: async () => [connectionOf('codex')] } },
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /codex\.json \(as before\)[^]*own\.toml \(left as it is: it was edited\)[^]*back {3}a:[^]*revoked/,
    );
    expect(requests).toEqual([['revokeToken', { id: 'id-codex' }]]);
  });

  test('a client that is named twice is disconnected once', async () => {
    const done: string[] = [];
    const disconnect: ClientRuntime['disconnect'] = async (_, { client }) => {
      done.push(client);
      return { connection: connectionOf(client), files: [] };
    };
    const { code } = await run(['disconnect', 'codex', 'Codex'], {
      runtime: { clients: { ...clients, disconnect, status: async () => [connectionOf('codex')] } },
    });
    expect([code, done]).toEqual([0, ['codex']]);
  });

  test('--all takes every client, in every project; with --scope those of the scope here', async () => {
    const connected = [
      connectionOf('codex'),
      connectionOf('zed', { scope: 'project', folder: '/p' }),
      connectionOf('qwen', { scope: 'project', folder: '/d' }),
    ];
    const took = async (...flags: string[]): Promise<unknown[]> => {
      const taken: unknown[] = [];
      const disconnect: ClientRuntime['disconnect'] = async (_, { client, folder }) => {
        taken.push([client, folder]);
        return { connection: connected.find((each) => each.client === client)!, files: [] };
      };
      const { code, stdout } = await run(['disconnect', '--all', ...flags], {
        runtime: { clients: { ...clients, status: async () => connected, disconnect } },
      });
      return [code, taken, stdout];
    };
    expect(await took()).toEqual([
      0,
      [
        ['codex', undefined],
        ['zed', '/p'],
        ['qwen', '/d'],
      ],
      expect.stringMatching(/disconnected {2}CODEX\n[^]*disconnected {2}ZED \(\/p\)\n/),
    ]);
    expect((await took('--scope', 'user'))[1]).toEqual([['codex', undefined]]);
    expect((await run(['disconnect'])).stderr).toContain('or use --all');
  });

  test('of a client that is not connected is an error', async () => {
    const connect = () => Promise.reject(new Error('not opened'));
    const elsewhere = connectionOf('codex', { scope: 'project', folder: '/elsewhere' });
    const { code, stderr } = await run(['disconnect', 'codex'], {
      runtime: { connect, clients: { ...clients, status: async () => [elsewhere] } },
    });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/codex is not connected.*connect --status/)]);
  });
});
