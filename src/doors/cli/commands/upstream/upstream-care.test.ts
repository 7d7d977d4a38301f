import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cli } from '../../../../../test/fixtures/fake-cli.ts';
import { tempDir } from '../../../../../test/fixtures/temp-dir.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { patchBetween } from './edit-settings.ts';

const server = {
  name: 'files',
  title: 'files',
  transport: 'stdio',
  target: 'npx -y server .',
  state: 'ready',
  enabled: true,
  tool_count: 14,
  since: '2025-01-15T10:00:00Z',
  restarts: 0,
};
const patched = (argv: string[], stdin?: string) =>
  cli(['upstream', 'edit', 'files', ...argv], { answers: { updateServer: server }, ...(stdin && { stdin }) });

describe('upstream edit with flags', () => {
  test.each([
    [['--set', 'timeout=30s'], { timeout: '30s' }],
    [['--set', 'enabled=false', '--set', 'concurrency=4'], { enabled: false, concurrency: 4 }],
    [['--set', 'tools.a.b.operation=destructive'], { tools: { 'a.b': { operation: 'destructive' } } }],
    [['--set', 'tools.purge.enabled=false'], { tools: { purge: { enabled: false } } }],
    [['--unset', 'cwd', '--unset', 'env.DEBUG'], { cwd: null, env: { DEBUG: null } }],
    [['--env', 'A=1=2', '--unset', 'env.B'], { env: { B: null, A: '1=2' } }],
    [['--header', 'X=y', '--arg', '-y', '--arg', 'pkg'], { headers: { X: 'y' }, args: ['-y', 'pkg'] }],
    [['--set', 'args=["a"]'], { args: ['a'] }],
    [['--set', 'description=no JSON: {'], { description: 'no JSON: {' }],
  ])('%j sends %j', async (argv, body) => {
    const outcome = await patched(argv);
    expect(outcome.requests).toEqual([['updateServer', { name: 'files', body }]]);
    expect(outcome.code).toBe(0);
  });

  test('reads a secret from stdin, so that it is in no process list', async () => {
    const { requests } = await patched(['--env', 'TOKEN=-'], 'sesame\n');
    expect(requests[0]![1]).toEqual({
      name: 'files',
      secret: 'env.TOKEN',
      body: { env: { TOKEN: 'sesame' } },
    });
  });

  test.each([
    [[], 'The editor needs a terminal'],
    [['--set', 'timout=3s'], 'There is no setting "timout"'],
    [['--set', 'enabled=maybe'], '--set enabled needs JSON'],
    [['--set', 'timeout'], '--set must have the form KEY=VALUE'],
  ])('%j is a usage error', async (argv, says) => {
    const outcome = await patched(argv);
    expect([outcome.code, outcome.requests]).toEqual([2, []]);
    expect(outcome.stderr).toContain(says);
  });
});

describe('upstream edit in an editor', () => {
  const settings = { command: 'npx', args: ['-y', 'server'], env: { TOKEN: '***' }, timeout: '30s' };

  /** An editor that replaces the file by the next of these texts, and keeps a copy of what it was given. */
  function editor(...texts: string[]) {
    const dir = tempDir();
    texts.forEach((text, index) => writeFileSync(join(dir, `text-${index}`), text));
    const script = join(dir, 'editor');
    writeFileSync(
      script,
      `#!/bin/sh\ncd '${dir}'\nn=$(ls | grep -c seen-)\nls -l "$2" | cut -c1-10 > mode\ncp "$2" seen-$n\ncp text-$n "$2"\n`,
    );
    chmodSync(script, 0o700);
    const seen = (n: number) => readFileSync(join(dir, `seen-${n}`), 'utf8');
    const mode = () => readFileSync(join(dir, 'mode'), 'utf8').trim();
    return { env: { EDITOR: `${script} --wait` }, seen, mode };
  }

  const terminal = { in: true, err: true };

  test('sends only what changed; the file is private and masked', async () => {
    const { env, seen, mode } = editor(
      '{"command": "npx", "args": ["-y", "other"], /* mine */ "env": {"TOKEN": "***", "A": "b"}}',
    );
    const answers = { serverSettings: { name: 'files', title: 'files', settings }, updateServer: server };
    const outcome = await cli(['upstream', 'edit', 'files'], { answers, terminal, env });
    expect(seen(0)).toContain('"TOKEN": "***"');
    expect(mode()).toBe('-rw-------');
    expect(outcome.requests[1]).toEqual([
      'updateServer',
      { name: 'files', body: { args: ['-y', 'other'], env: { A: 'b' }, timeout: null } },
    ]);
  });

  test('leaves everything as it is where nothing was changed', async () => {
    const { env } = editor(JSON.stringify(settings));
    const answers = { serverSettings: { name: 'files', title: 'files', settings } };
    const outcome = await cli(['upstream', 'edit', 'files'], {
      answers,
      terminal,
      env: { ...env, NO_COLOR: '1' },
    });
    expect(outcome.requests.map(([name]) => name)).toEqual(['serverSettings']);
    expect(outcome.stderr).toBe('Nothing was changed.\n');
  });

  test('offers the text again where it is not valid', async () => {
    const { env, seen } = editor('{"command": ', '{"command": "npx", "timeout": "x"}', '{"command": "npx"}');
    let tries = 0;
    const updateServer = () => {
      if (++tries === 1) throw new ProxyError('INVALID_REQUEST', 'timeout must be a number with a unit');
      return server;
    };
    const answers = { serverSettings: { name: 'files', title: 'files', settings }, updateServer };
    const outcome = await cli(['upstream', 'edit', 'files'], { answers, terminal, env });
    expect(outcome.code).toBe(0);
    expect(outcome.asked).toEqual(['Edit again? [Y/n] ', 'Edit again? [Y/n] ']);
    expect(outcome.stderr).toMatch(/line 1: [\s\S]*timeout must be a number with a unit/);
    expect(seen(1)).toBe('{"command": ');
    expect(tries).toBe(2);
  });
});

test.each([
  [{ a: 1 }, { a: 1 }, {}],
  [{ a: { b: 1, c: 2 } }, { a: { b: 1 } }, { a: { c: null } }],
  [{ a: [1] }, { a: [2], d: {} }, { a: [2], d: {} }],
])('from %j to %j: %j', (before, after, patch) => {
  expect(patchBetween(before, after)).toEqual(patch);
});

describe('upstream test', () => {
  const result = {
    ok: true,
    transport: 'stdio',
    target: 'uvx x',
    duration_ms: 1234,
    protocol: '2026-07-28',
    offers: ['tools'],
    tools: [{ name: 'now', hint: 'read', description: 'The time' }],
  };
  const answers = { testServer: result };

  test.each([
    [['files'], { name: 'files' }],
    [['--', 'mcp-server-time'], { config: { command: 'mcp-server-time', args: [] } }],
    [
      ['--env', 'A=b', '--', 'uvx', 'x', '--port', '1'],
      { config: { command: 'uvx', args: ['x', '--port', '1'], env: { A: 'b' } } },
    ],
    [
      ['https://e.example/mcp', '--header', 'A=b'],
      { config: { url: 'https://e.example/mcp', headers: { A: 'b' } } },
    ],
  ])('%j asks for %j', async (argv, body) => {
    const outcome = await cli(['upstream', 'test', ...argv], { answers });
    expect(outcome.requests).toEqual([['testServer', { body }]]);
    expect(outcome.code).toBe(0);
    expect(outcome.stdout).toMatch(/^Result +ready$[^]*^Took +1\.2 s$[^]*^now +read +The time$/m);
  });

  test('a server that fails: why, what to do, and its own exit code', async () => {
    const failed = {
      ok: false,
      transport: 'http',
      target: 'https://e',
      duration_ms: 1,
      error: 'no\u001b answer',
      next_step: 'Check it',
    };
    const outcome = await cli(['upstream', 'test', 'https://e.example'], { answers: { testServer: failed } });
    expect(outcome.code).toBe(9);
    expect(outcome.stdout).toMatch(/^Error +no\\u\{1b\} answer\nWhat to do +Check it$/m);
  });

  test.each([[[]], [['a', 'b']], [['a', '--', 'b']], [['files', '--env', 'A=b']]])(
    '%j is a usage error',
    async (argv) => {
      const outcome = await cli(['upstream', 'test', ...argv], { answers });
      expect([outcome.code, outcome.requests]).toEqual([2, []]);
    },
  );
});

test.each([
  [['--', 'node', 'my.mjs'], true],
  [['--', 'node', '/my.mjs'], undefined],
  [['--', 'my.mjs'], undefined],
  [['--', 'node', '--x=my.mjs'], undefined],
  [['--cwd', '.', '--', 'node'], true],
  [['--cwd', '~/x', '--', 'node'], '~/x'],
])('upstream add files %j: the directory of the program', async (argv, expected) => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'my.mjs'), '');
  const given = { answers: { addServer: server }, cwd };
  const sent = async (before: string[]) => {
    const { requests } = await cli([...before, 'upstream', 'add', 'files', ...argv], given);
    return (requests[0]![1] as { body: { config: { cwd?: string } } }).body.config.cwd;
  };
  expect(await sent([])).toBe(expected === true ? cwd : expected);
  // Another machine does not have the directory of this one.
  if (argv[0] === '--') expect(await sent(['--url', 'http://127.0.0.1:9'])).toBeUndefined();
});
