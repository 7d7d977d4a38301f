import { describe, expect, test } from 'vitest';
import { diffConfig, flattenConfig, serverOf } from './diff-config.ts';
import { parseConfig } from './parse.ts';

const SALT = 'salt';
const flat = (config: unknown) => flattenConfig(parseConfig(JSON.stringify(config), 'f'), SALT);
const diff = (before: unknown, after: unknown) => diffConfig(flat(before), flat(after));

describe('what changed in the configuration', () => {
  test('settings by path, with what was and what is', () => {
    expect(diff({ tools: { limit: 5 } }, { tools: { limit: 6 }, approvals: { notify: ['x'] } })).toEqual([
      { setting: 'approvals.notify', change: 'added', after: ['x'] },
      { setting: 'tools.limit', change: 'changed', before: 5, after: 6 },
    ]);
    expect(diff({ call_timeout: '60s' }, {})).toEqual([]);
  });

  test('servers that come and go', () => {
    const server = { 'My Server': { command: 'x', tools: { 'a.b': { enabled: false } } } };
    const [command, title, tool] = diff({}, { mcpServers: server });
    expect(command).toEqual({
      setting: expect.stringMatching(/^mcpServers\.My-Server-[0-9a-f]{4}\.command$/),
      change: 'added',
      after: 'x',
    });
    expect(title).toMatchObject({ setting: expect.stringMatching(/\.title$/), after: 'My Server' });
    expect(tool?.setting).toMatch(/\.tools\["a\.b"\]\.enabled$/);
    expect(diff({ mcpServers: server }, {})).toHaveLength(3);
  });

  test('of secrets only that they changed', () => {
    const config = (secret: string) => ({
      api_key: `${secret}-0123456789abcdef`,
      database_url: `postgres://u:${secret}@h/d`,
      mcpServers: {
        a: {
          command: 'x',
          args: ['--token', secret, `--key=${secret}`, '-v'],
          env: { T: secret, R: '${env:X}' },
        },
        b: {
          url: `https://u:${secret}@h/mcp?token=${secret}&x=${secret}`,
          headers: { Authorization: secret },
        },
      },
    });
    const changes = diff(config('CANARY-1'), config('CANARY-2'));
    expect(JSON.stringify([changes, flat(config('CANARY-1'))])).not.toContain('CANARY');
    expect(changes).toEqual([
      { setting: 'api_key', change: 'changed' },
      {
        setting: 'database_url',
        change: 'changed',
        before: 'postgres://***@h/d',
        after: 'postgres://***@h/d',
      },
      {
        setting: 'mcpServers.a.args',
        change: 'changed',
        before: ['--token', '***', '--key=***', '-v'],
        after: ['--token', '***', '--key=***', '-v'],
      },
      { setting: 'mcpServers.a.env.T', change: 'changed' },
      { setting: 'mcpServers.b.headers.Authorization', change: 'changed' },
      {
        setting: 'mcpServers.b.url',
        change: 'changed',
        before: 'https://***@h/mcp?token=***&x=***',
        after: 'https://***@h/mcp?token=***&x=***',
      },
    ]);
  });

  test('the server that a setting belongs to', () => {
    expect(serverOf('mcpServers.up.env.A')).toBe('up');
    expect(serverOf('mcpServers["a.b"].command')).toBe('a.b');
    expect(serverOf('call_timeout')).toBeUndefined();
  });
});
