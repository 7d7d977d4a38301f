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
      'both, of type stdio',
      { command: 'x', url: 'http://h', type: 'stdio' },
      { command: 'x', type: 'stdio' },
    ],
    ['both, of type sse', { command: 'x', url: 'http://h', type: 'sse' }, { url: 'http://h', type: 'sse' }],
  ])('%s is understood', (_, entry, config) => {
    expect(readServerEntry(entry)).toMatchObject({ config, problems: [] });
    expect(Object.keys(readServerEntry(entry).config).sort()).toEqual(Object.keys(config).sort());
  });

  test.each([
    [{ autoApprove: ['*'] }, /"autoApprove" has no effect: configure under "approvals"/],
    [{ alwaysAllow: [], trust: true }, /"alwaysAllow", "trust" have no effect/],
    [{ gallery: 'x', icon: 1, oauth: {} }, /^ignored keys: "gallery", "icon", "oauth"$/],
    [{ includeTools: ['a'] }, /"includeTools" has no effect: all tools are offered/],
    [{ tools: ['a'] }, /"tools" has no effect: all tools are offered/],
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
    [{ command: 'x', env: { A: 1 } }, 'env.A', /string/],
    [{ command: 'x', diasbled: true }, 'diasbled', /did you mean "disabled"/],
  ])('%j cannot be used', (entry, key, says) => {
    const { problems } = readServerEntry(entry);
    expect(problems.map(({ path, message }) => [path.join('.'), message])).toEqual([
      [key, expect.stringMatching(says)],
    ]);
  });

  test('what is right of it is there all the same', () => {
    expect(readServerEntry({ command: 'x', timeout: 'soon' }).config).toEqual({ command: 'x' });
  });
});
