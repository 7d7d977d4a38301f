import { describe, expect, test } from 'vitest';
import { resolveServer, targetOf } from './secrets.ts';

describe('what is shown of a server', () => {
  test.each([
    [
      { command: 'npx', args: ['-y', 'server', '--token', 'abc', '--api-key=def', 'GITHUB_TOKEN=ghi'] },
      'npx -y server --token *** --api-key=*** GITHUB_TOKEN=***',
    ],
    [{ command: 'npx', args: ['--token', '${env:TOKEN}'] }, 'npx --token ${env:TOKEN}'],
    [{ command: 'psql', args: ['postgres://me:word@host/db'] }, 'psql postgres://***@host/db'],
    [{ url: 'https://user:word@host/mcp?api_key=abc&x=1' }, 'https://***@host/mcp?api_key=***&x=1'],
    [
      {
        command: 'npx',
        args: ['mcp-remote', '--header', 'Authorization: Bearer abc', 'https://h/?sig=abc#abc'],
      },
      'npx mcp-remote --header Authorization: *** https://h/?sig=***#***',
    ],
    [{ command: 'evil\u001b[2J\nname' }, 'evil\\u{1b}[2J\\nname'],
  ])('target of %j', (config, shown) => {
    expect(targetOf(config)).toBe(shown);
  });

  test('texts from outside lose secrets, control characters and length', () => {
    const config = {
      command: 'x',
      env: { API_KEY: 'plain-key', HOME_DIR: '/home/me' },
      headers: { Authorization: 'Bearer ${env:T}' },
    };
    const { shown, headers } = resolveServer(config, (text) => text.replace('${env:T}', 'tok-12345'));
    expect(headers.Authorization).toBe('Bearer tok-12345');
    expect(shown('a tok-12345 b plain-key c /home/me\u001b[0m')).toBe('a *** b *** c /home/me\\u{1b}[0m');
    expect(shown('x'.repeat(10_000)).length).toBeLessThanOrEqual(500);
  });
});
