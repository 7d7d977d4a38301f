import { describe, expect, test } from 'vitest';
import { readServerEntry } from './server-entry.ts';

describe('an entry of another client', () => {
  test.each([
    ['disabled', { command: 'x', disabled: true }, { command: 'x', enabled: false }],
    ['not disabled', { command: 'x', disabled: false }, { command: 'x', enabled: true }],
    ['off in either word', { command: 'x', enabled: true, disabled: true }, { command: 'x', enabled: false }],
    ['httpUrl', { httpUrl: 'http://h' }, { url: 'http://h', type: 'http' }],
    ['serverUrl', { serverUrl: 'http://h' }, { url: 'http://h' }],
    ['transport', { url: 'http://h', transport: 'sse' }, { url: 'http://h', type: 'sse' }],
    ['streamableHttp', { url: 'http://h', type: 'streamableHttp' }, { url: 'http://h', type: 'http' }],
    ['remote', { url: 'http://h', type: 'remote' }, { url: 'http://h' }],
    [
      'opencode',
      { type: 'local', command: ['x', '-a'], environment: { A: '1' } },
      { type: 'stdio', command: 'x', args: ['-a'], env: { A: '1' } },
    ],
    ['envFile', { command: 'x', envFile: '.env' }, { command: 'x', env_file: '.env' }],
    ['null for nothing', { command: 'x', args: null, env: null, disabled: null }, { command: 'x' }],
    ['seconds', { command: 'x', timeout: 60 }, { command: 'x', timeout: '60s' }],
    ['part of a second', { command: 'x', timeout: 0.5 }, { command: 'x', timeout: '500ms' }],
    ['milliseconds', { command: 'x', timeout: 30_000 }, { command: 'x', timeout: '30s' }],
    [
      'tools left out',
      { command: 'x', tools: { a: { operation: 'read' } }, excludeTools: ['a'], disabledTools: ['b'] },
      { command: 'x', tools: { a: { operation: 'read', enabled: false }, b: { enabled: false } } },
    ],
    ['all tools', { command: 'x', tools: ['*'] }, { command: 'x' }],
    [
      'the only tools',
      { command: 'x', includeTools: ['a', 'b'], excludeTools: ['b'] },
      { command: 'x', tools: { '*': { enabled: false }, a: { enabled: true }, b: { enabled: false } } },
    ],
    [
      'goose',
      {
        type: 'stdio',
        name: 'n',
        cmd: 'x',
        args: ['-p', 8080],
        envs: { A: true },
        env_keys: ['K'],
        bundled: false,
      },
      { type: 'stdio', command: 'x', args: ['-p', '8080'], env: { K: '${env:K}', A: 'true' } },
    ],
    [
      'goose, wrapped',
      { enabled: false, config: { type: 'streamable_http', uri: 'http://h' } },
      { enabled: false, type: 'http', url: 'http://h' },
    ],
    [
      'Codex, a program',
      {
        command: 'x',
        env_vars: ['A', { name: 'B', source: 'local' }],
        startup_timeout_sec: 20,
        tool_timeout_sec: 1.5,
      },
      { command: 'x', env: { A: '${env:A:-}', B: '${env:B:-}' }, timeout: '1500ms', startup_timeout: '20s' },
    ],
    [
      'Codex, a URL',
      {
        url: 'http://h',
        bearer_token_env_var: 'T',
        http_headers: { A: '1' },
        env_http_headers: { B: 'V' },
      },
      { url: 'http://h', headers: { Authorization: 'Bearer ${env:T}', A: '1', B: '${env:V}' } },
    ],
    [
      'Continue',
      {
        name: 'n',
        type: 'streamable-http',
        url: 'http://h',
        requestOptions: { headers: { A: 'b' }, timeout: 5000 },
        connectionTimeout: 2000,
      },
      {
        url: 'http://h',
        type: 'streamable-http',
        headers: { A: 'b' },
        timeout: '5s',
        startup_timeout: '2s',
      },
    ],
    [
      'Zed',
      { source: 'custom', command: { path: 'x', args: ['a'], env: { A: '1' } } },
      { command: 'x', args: ['a'], env: { A: '1' } },
    ],
    ['a path with spaces', { command: '/opt/My App/run me' }, { command: '/opt/My App/run me' }],
    ['type of a program for a URL', { type: 'stdio', url: 'http://h' }, { url: 'http://h' }],
    [
      'both, of type stdio',
      { command: 'x', url: 'http://h', type: 'stdio' },
      { command: 'x', type: 'stdio' },
    ],
    ['both, of type sse', { command: 'x', url: 'http://h', type: 'sse' }, { url: 'http://h', type: 'sse' }],
  ])('%s is understood', (_, entry, config) => {
    expect(readServerEntry(entry)).toMatchObject({ config, problems: [] });
    expect(Object.keys(readServerEntry(entry).config).sort()).toEqual(Object.keys(config).sort());
  });

  test('a command line in one text is not taken apart, and the message does not repeat it', () => {
    expect(readServerEntry({ command: 'npx -y "a b" --key=secret' }).problems).toEqual([
      { path: ['command'], message: 'must name one program; put its arguments into "args"' },
    ]);
  });

  test.each([
    [{ autoApprove: ['*'] }, /"autoApprove" has no effect: configure under "approvals"/],
    [{ alwaysAllow: [], trust: true }, /"alwaysAllow", "trust" have no effect/],
    [{ gallery: 'x', icon: 1, oauth: {} }, /^ignored keys: "gallery", "icon"$/],
    [{ type: 'http' }, /"type" has no effect: "command" decides/],
    [{ timeout: 999 }, /timeout 999 is read as "999s": numbers below 1000 are seconds, others milliseconds/],
    [Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`key${i}`, 1])), /"key9" and 90 more$/],
  ])('%j is noted, once, and changes nothing', (more, says) => {
    const { problems, warnings } = readServerEntry({ command: 'x', ...more });
    expect([problems, warnings]).toEqual([[], [expect.stringMatching(says)]]);
  });

  test.each([
    [{ command: 'x', disabled: 'true' }, 'disabled', /true or false/],
    [{ command: 'x', type: 'websocket' }, 'type', /one of stdio, http/],
    [{ command: 'x', timeout: -1 }, 'timeout', /more than 0/],
    [{ command: 'x', excludeTools: 'a' }, 'excludeTools', /list of tool names/],
    [{ command: 5 }, 'command', /string/],
    [{ command: 'x', env: { A: [1] } }, 'env.A', /string/],
    [{ type: 'builtin', name: 'developer' }, 'type', /part of another client/],
    [{ source: 'extension', settings: {} }, 'type', /part of another client/],
    [{ command: 'x', startup_timeout_sec: 'soon' }, 'startup_timeout_sec', /number of more than 0/],
    [{ command: 'x', comand: 'y' }, 'comand', /did you mean "command"/],
    [{ command: 'x', diasbled: true }, 'diasbled', /did you mean "disabled"/],
  ])('%j cannot be used', (entry, key, says) => {
    const { problems } = readServerEntry(entry);
    expect(problems.map(({ path, message }) => [path.join('.'), message])).toEqual([
      [key, expect.stringMatching(says)],
    ]);
  });

  test('the client tells the unit of a time-out, and what it limits', () => {
    const entry = { command: 'x', timeout: 1800 };
    expect(readServerEntry(entry, { timeoutUnit: 's' })).toEqual({
      config: { command: 'x', timeout: '1800s' },
      problems: [],
      warnings: [],
    });
    expect(readServerEntry(entry, { timeoutUnit: 'ms', timeoutIsStart: true }).config).toEqual({
      command: 'x',
      startup_timeout: '1800ms',
    });
  });

  test('what is right of it is there all the same', () => {
    expect(readServerEntry({ command: 'x', timeout: 'soon' }).config).toEqual({ command: 'x' });
  });
});
