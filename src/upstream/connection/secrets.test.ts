import { describe, expect, test } from 'vitest';
import { resolveSecrets } from '../../config/index.ts';
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
    expect(shown('x'.repeat(10_000)).length).toBeLessThanOrEqual(1500);
  });
});

describe('arguments', () => {
  const resolve: Parameters<typeof resolveServer>[1] = resolveSecrets;

  test.each([
    ['the variables of the entry come first', 'docker', ['-e', 'T=${T}', '$T'], ['-e', 'T=own', 'own']],
    ['the script of a shell keeps its own', '/bin/sh', ['-c', 'echo $T ${T}'], ['-c', 'echo $T own']],
    [
      'a relay that replaces them itself gets the name, not the value',
      'npx',
      ['-y', 'mcp-remote@latest', 'https://h', '--header', 'Authorization:${T}'],
      ['-y', 'mcp-remote@latest', 'https://h', '--header', 'Authorization:${T}'],
    ],
  ])('%s', (...[, command, args, expected]) => {
    expect(resolveServer({ command, args, env: { T: 'own' } }, resolve).args).toEqual(expected);
  });

  test('a name that nobody has is an error, not a text', () => {
    expect(() => resolveServer({ command: 'x', args: ['$NOT_SET_ANYWHERE'] }, resolve)).toThrow(
      /\$NOT_SET_ANYWHERE is not set/,
    );
  });
});
