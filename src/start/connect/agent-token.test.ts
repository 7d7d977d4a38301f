import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/fixtures/temp-dir.ts';
import { agentToken } from './agent-token.ts';

test('an environment without a token is that of the operator', () => {
  expect(agentToken({})).toBeUndefined();
});

test('a token that is empty, mistyped or cannot be read is an error: the client must not act as operator', () => {
  const dir = tempDir();
  mkdirSync(join(dir, 'folder'));
  writeFileSync(join(dir, 'empty'), '\n');
  expect(() => agentToken({ MCPPROXY_TOKEN: '' })).toThrow('set but empty');
  expect(() => agentToken({ MCPPROXY_TOKEN: 'something' })).toThrow('not an agent token');
  for (const file of ['', join(dir, 'missing'), join(dir, 'folder'), join(dir, 'empty')])
    expect(() => agentToken({ MCPPROXY_TOKEN_FILE: file })).toThrow('cannot be read');
});
