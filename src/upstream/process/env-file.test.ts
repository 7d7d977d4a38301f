import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readEnvFile } from './env-file.ts';
import { resolveServer } from '../connection/secrets.ts';

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-env-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const file = (text: string) => {
  const path = join(dir, '.env');
  writeFileSync(path, text);
  return path;
};

describe('a file with variables', () => {
  test('is read line by line, and nothing in it is expanded', () => {
    const text = '# comment\r\nA=1\r\n\nexport B = "two words" \nC=\'x\'\nD=$A ${A}\nE=a=b\nF=\n';
    expect(readEnvFile(file(text))).toEqual({
      A: '1',
      B: 'two words',
      C: 'x',
      D: '$A ${A}',
      E: 'a=b',
      F: '',
    });
  });
  test('says what is wrong with it, without its text', () => {
    expect(() => readEnvFile(file('A=1\nCANARY'))).toThrow(/line 2 is not NAME=VALUE/);
    expect(() => readEnvFile(join(dir, 'none'))).toThrow(/ENOENT/);
    expect(() => readEnvFile(dir)).toThrow(/not a file/);
    expect(() => readEnvFile(file('A='.padEnd(70_000, 'x')))).toThrow(/larger than/);
  });
  test('gives a server its variables; those of the entry beat it, and its values are masked', () => {
    const config = { command: 'x', env: { B: 'own' }, env_file: file('A=file-secret\nB=other') };
    const resolved = resolveServer(config, (text) => text);
    expect(resolved.env).toEqual({ A: 'file-secret', B: 'own' });
    expect(resolved.shown('says file-secret')).toBe('says ***');
  });
});
