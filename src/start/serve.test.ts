import { expect, test } from 'vitest';
import { greeting } from './serve.ts';

const said = {
  url: 'http://127.0.0.1:8080',
  key: '/data/api_key',
  config: '/data/mcp_config.json',
  dataDir: '/data',
};

test('a person at a terminal is shown a link that logs in', () => {
  const text = greeting({ ...said, link: 'http://127.0.0.1:8080/#login=code' });
  expect(text).toContain('http://127.0.0.1:8080/#login=code ');
});

test('a file or a journal gets the command that makes one', () => {
  const text = greeting({ ...said, link: undefined });
  expect(text).not.toContain('#login=');
  expect(text).toContain('mcpproxy open --data-dir /data');
});
