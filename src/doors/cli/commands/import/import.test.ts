import { describe, expect, test } from 'vitest';
import type { ImportedServer } from '../../../../contract/routes/server.ts';
import { cli, type Given } from '../../../../../test/fixtures/fake-cli.ts';
import type { ClientFile, ClientServer } from '../../runtime.ts';
import { chosenNumbers } from './choose.ts';
import type { ImportBody } from './rows.ts';

const server = (name: string, more: Partial<ClientServer> = {}): ClientServer => ({
  name,
  config: { command: name },
  warnings: [],
  inputs: [],
  ...more,
});

const token = { id: 't', description: 'Token', secret: true };
const asking = (name: string) =>
  server(name, { inputs: [token], config: { command: name, env: { T: '${input:t}' } } });

const FILES: ClientFile[] = [
  {
    client: 'cursor',
    title: 'Cursor',
    scope: 'user',
    file: '/h/.cursor/mcp.json',
    servers: [
      server('a'),
      server('bad', { problem: 'line 3: needs either "command" or "url"' }),
      asking('b'),
    ],
  },
  {
    client: 'codex',
    title: 'Codex',
    scope: 'project',
    file: '/w/.codex/config.toml',
    servers: [asking('c')],
  },
  {
    client: 'zed',
    title: 'Zed',
    scope: 'user',
    file: '/h/zed.json',
    servers: [],
    problem: 'line 1: invalid JSON',
  },
];

/** Answers as the proxy would: an entry that asks for a value fails without it. */
function importServers({ body }: { body: ImportBody }): { servers: ImportedServer[] } {
  const { mcpServers } = JSON.parse(body.text) as {
    mcpServers: Array<{ name: string; env?: { T: string } }>;
  };
  const servers = body.servers!.map(({ entry }): ImportedServer => {
    const { name, env } = mcpServers[entry]!;
    const [, id] = /^\$\{input:(.*)\}$/.exec(env?.T ?? '') ?? [];
    const isMissing = id !== undefined && body.inputs?.[id] === undefined;
    return {
      entry,
      name,
      alias: name,
      state: isMissing ? 'failed' : 'added',
      transport: 'stdio',
      target: name,
      enabled: true,
      ...(isMissing && { inputs: [{ id, secret: true }] }),
    };
  });
  return { servers };
}

const listServers = { servers: ['a', 'b', 'c'].map((name) => ({ name, state: 'ready' })) };

const run = (argv: string[], given: Given = {}) =>
  cli(['import', ...argv], {
    answers: { importServers, listServers },
    ...given,
    runtime: { findServers: async () => FILES, ...given.runtime },
  });

const sent = (outcome: Awaited<ReturnType<typeof run>>) =>
  outcome.requests
    .filter(([name]) => name === 'importServers')
    .map(([, input]) => (input as { body: ImportBody }).body)
    .map(({ servers, inputs, dry_run: dry }) => [servers!.map(({ entry }) => entry), inputs, dry]);

describe('import', () => {
  test('a dry run shows everything: servers, reasons, files that cannot be read', async () => {
    const outcome = await run(['--dry-run']);
    expect(outcome.code).toBe(0);
    expect(sent(outcome)).toEqual([[[0, 1, 2], {}, true]]);
    expect(outcome.stdout).toMatch(/^a +Cursor +would add/m);
    expect(outcome.stdout).toMatch(/^bad +Cursor +failed .*\n {4}line 3: needs either/m);
    expect(outcome.stdout).toMatch(
      /^b +Cursor +failed .*\n {4}asks for a value: t \(Token\)\. Give it with: mcpproxy import --input 't=\$\{env:NAME\}'$/m,
    );
    expect(outcome.stdout).toMatch(/^c +Codex \(project\)/m);
    expect(outcome.stderr).toMatch(/Zed: \/h\/zed\.json: line 1: invalid JSON/);
  });

  test('--all takes everything of the user; the file of a project has to be named', async () => {
    const outcome = await run(['--all', '--input', 't=${env:T}']);
    expect(sent(outcome)[1]).toEqual([[0, 1], { t: '${env:T}' }, undefined]);
    expect(outcome.stderr).toContain(
      '2 servers added: 2 ready. See them with: mcpproxy upstream list. 1 entry cannot be imported: bad. The list has the reasons.',
    );
    expect(outcome.stdout.match(/^\w+/gm)).toEqual(['NAME', 'a', 'bad', 'b']);
    expect(outcome.stderr).toContain('mcpproxy import /w/.codex/config.toml --all');
    const named = await run(['./config.toml', '--all', '--input', 't-2=${env:T}']);
    expect(sent(named)[1]![0]).toEqual([0, 1, 2]);
  });

  test('two files that ask for the same id are asked for apart', async () => {
    const outcome = await run(['x', 'b', 'c'], { terminal: { in: true, err: true }, secret: 'CANARY' });
    expect(outcome.asked).toEqual(['b: Token: ', 'c: Token: ']);
    expect(sent(outcome)[1]).toEqual([[1, 2], { t: 'CANARY', 't-2': 'CANARY' }, undefined]);
    expect(outcome.stdout + outcome.stderr).not.toContain('CANARY');
  });

  test('a person chooses on a terminal', async () => {
    const outcome = await run([], { terminal: { in: true, err: true }, reply: '1' });
    expect(outcome.asked).toEqual(['Import which? Numbers such as 1,3-5, "all", or Enter for none: ']);
    expect(outcome.stderr).toMatch(/^ *1 +a +Cursor +new/m);
    expect(sent(outcome)[1]).toEqual([[0], {}, undefined]);
    const none = await run([], { terminal: { in: true, err: true }, reply: '' });
    expect([none.code, sent(none).length, none.stderr.includes('Nothing was imported.')]).toEqual([
      0,
      1,
      true,
    ]);
  });

  test('without a terminal somebody has to choose', async () => {
    const outcome = await run([]);
    expect([outcome.code, sent(outcome).length]).toEqual([2, 1]);
    expect(outcome.stderr).toMatch(/Choose the servers by name after the source, or import all with --all/);
    expect(outcome.stdout).toMatch(/^a +Cursor +new/m);
  });

  test('on a terminal of 80 columns no name, source or reason is cut', async () => {
    const problem = `line 6: ${'a long reason that says what is wrong '.repeat(4)}END`;
    const name = 'a-name-of-a-server-that-is-rather-long';
    const files = [
      { ...FILES[0]!, title: 'Claude Desktop', servers: [server(name, { problem }), server('a')] },
    ];
    const { stdout } = await run(['--dry-run'], {
      terminal: { out: true },
      env: { NO_COLOR: '1' },
      runtime: { findServers: async () => files },
    });
    expect(stdout).toMatch(new RegExp(`^${name} +Claude Desktop +failed`, 'm'));
    expect(stdout.replaceAll(/\n +/g, ' ')).toContain(problem);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('the alias is shown where it differs from the name', async () => {
    const answer = (input: { body: ImportBody }) => ({
      servers: importServers(input).servers.map((each) => ({ ...each, alias: `${each.name}-12ab` })),
    });
    const { stdout } = await run(['--dry-run'], { answers: { importServers: answer } });
    expect(stdout).toMatch(/^a +Cursor .*\n {4}alias: a-12ab$/m);
  });

  test('the summary tells servers that do not start from entries that cannot be used', async () => {
    const failing = {
      servers: [
        { name: 'a', state: 'ready' },
        { name: 'b', state: 'failed', last_error: 'it exits' },
      ],
    };
    const outcome = await run(['--all', '--input', 't=${env:T}'], {
      answers: { importServers, listServers: failing },
    });
    expect(outcome.stderr).toContain('2 servers added: 1 ready, 1 did not start (b). What to do:');
    expect(outcome.stderr).toContain('1 entry cannot be imported: bad.');
  });

  test('nothing new is no error, also where values are missing', async () => {
    const known = (input: { body: ImportBody }) => ({
      servers: importServers(input).servers.map((each) =>
        each.state === 'added' ? { ...each, state: 'known' } : each,
      ),
    });
    const outcome = await run(['--all'], { answers: { importServers: known } });
    expect(outcome.code).toBe(0);
    expect(outcome.stderr).toContain('Nothing new to import. 2 entries cannot be imported: bad, b.');
    expect(outcome.stdout.match(/^\w+/gm)).toEqual(['NAME', 'a', 'bad', 'b']);
  });

  test('a name that is not there, an input without a value', async () => {
    expect(await run(['cursor', 'nope'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("No server is named 'nope'. Found: a, bad, b, c"),
    });
    for (const more of [['--dry-run'], ['--all']])
      expect((await run(['cursor', 'bad', 'nope', ...more])).code).toBe(2);
    expect((await run(['cursor', 'bad', 'nope'])).code).toBe(2);
    expect((await run(['cursor', 'a', '--dry-run'])).stdout.match(/^\w+/gm)).toEqual(['NAME', 'a']);
    expect(await run(['--all', '--input', 'tt=CANARY'])).toMatchObject({
      code: 2,
      requests: [],
      stderr: expect.stringMatching(/--input: no server asks for 'tt'\. Known ids: t, t-2\n/),
    });
    const outcome = await run(['--input', 'CANARY']);
    expect([outcome.code, outcome.stderr.includes('CANARY')]).toEqual([2, false]);
  });

  test('- reads standard input', async () => {
    let given: unknown;
    const findServers = async (source: unknown) => {
      given = source;
      return FILES;
    };
    await run(['-', '--all'], { stdin: '{"a": 1}', runtime: { findServers } });
    expect(given).toEqual({ text: '{"a": 1}' });
  });

  test('JSON has servers and files', async () => {
    const { stdout } = await run(['--dry-run', '-o', 'json']);
    const { servers, files } = JSON.parse(stdout) as { servers: unknown[]; files: unknown[] };
    expect(servers[1]).toEqual({
      name: 'bad',
      alias: null,
      state: 'failed',
      reason: 'line 3: needs either "command" or "url"',
      client: 'cursor',
      scope: 'user',
      file: '/h/.cursor/mcp.json',
      transport: null,
      target: null,
    });
    expect(files).toMatchObject([{ servers: 3 }, { scope: 'project' }, { problem: 'line 1: invalid JSON' }]);
  });

  test('nothing found is no error', async () => {
    const outcome = await run([], { runtime: { findServers: async () => [] } });
    expect([outcome.code, outcome.stdout]).toEqual([0, '']);
    expect(outcome.stderr).toContain('No servers of other clients were found');
  });
});

test.each([
  ['', []],
  ['all', [1, 2, 3, 4]],
  ['1, 3-4', [1, 3, 4]],
  ['4 2 2', [2, 4]],
  ['0', undefined],
  ['5', undefined],
  ['3-1', undefined],
  ['one', undefined],
])('the answer %j', (answer, chosen) => {
  expect(chosenNumbers(answer, 4)).toEqual(chosen);
});
