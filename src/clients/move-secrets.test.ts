import { describe, expect, test } from 'vitest';
import type { ServerConfig } from '../contract/config.ts';
import { moveSecrets } from './move-secrets.ts';

const ENV = { GITHUB_TOKEN: 'ghp_of_the_environment', PATH: '/usr/bin' };

function moved(config: ServerConfig) {
  const result = moveSecrets(config, { folder: '/s', alias: 'a', env: ENV });
  return {
    config: result.config,
    files: Object.fromEntries(result.files.map((file) => [file.path, file.value])),
  };
}

describe('secrets in the entry of a client', () => {
  test.each<[ServerConfig, ServerConfig, Record<string, string>]>([
    [
      { env: { API_KEY: 'abc', LEVEL: 'debug', TOKEN_LIMIT: '4000', KEY_FILE: '/etc/key' } },
      {
        env: {
          API_KEY: '${file:/s/a.env.API_KEY.1}',
          LEVEL: 'debug',
          TOKEN_LIMIT: '4000',
          KEY_FILE: '/etc/key',
        },
      },
      { '/s/a.env.API_KEY.1': 'abc' },
    ],
    [
      {
        env: { OTHER: 'ghp_of_the_environment' },
        headers: { Authorization: 'Bearer ghp_of_the_environment' },
      },
      { env: { OTHER: '${env:GITHUB_TOKEN}' }, headers: { Authorization: 'Bearer ${env:GITHUB_TOKEN}' } },
      {},
    ],
    [
      { env: { SETTING: 'a1b2c3d4e5f6a7b8c9d0' } },
      { env: { SETTING: '${file:/s/a.env.SETTING.1}' } },
      { '/s/a.env.SETTING.1': 'a1b2c3d4e5f6a7b8c9d0' },
    ],
    [
      { args: ['--token', 'abc', '--url=postgres://me:word@h/db', '-y', 'pkg@1.2.3', 'sk-abcdefghijklmnop'] },
      {
        args: [
          '--token',
          '${file:/s/a.args.2.1}',
          '--url=postgres://${file:/s/a.args.3.2}@h/db',
          '-y',
          'pkg@1.2.3',
          '${file:/s/a.args.6.3}',
        ],
      },
      { '/s/a.args.2.1': 'abc', '/s/a.args.3.2': 'me:word', '/s/a.args.6.3': 'sk-abcdefghijklmnop' },
    ],
    [
      { url: 'https://h/s/0123456789abcdef0123/mcp?api_key=abc&mode=fast&x=0123456789abcdef' },
      {
        url: 'https://h/s/${file:/s/a.url.1}/mcp?api_key=${file:/s/a.url.2}&mode=fast&x=${file:/s/a.url.3}',
      },
      { '/s/a.url.1': '0123456789abcdef0123', '/s/a.url.2': 'abc', '/s/a.url.3': '0123456789abcdef' },
    ],
    [
      {
        env: {
          A_KEY: '${env:B}',
          B_KEY: '$B',
          C_KEY: '{env:B}',
          D_KEY: '${GITHUB_TOKEN:-abc}',
          E: '${F:-g}',
        },
      },
      {
        env: { A_KEY: '${env:B}', B_KEY: '$B', C_KEY: '{env:B}', D_KEY: '${env:GITHUB_TOKEN}', E: '${F:-g}' },
      },
      {},
    ],
    [
      { headers: { 'X-Key': '${NOT_SET:-abc}' } },
      { headers: { 'X-Key': '${file:/s/a.headers.X-Key.1}' } },
      { '/s/a.headers.X-Key.1': 'abc' },
    ],
  ])('%j', (config, expected, files) => {
    expect(moved(config)).toEqual({ config: expected, files });
  });
});
