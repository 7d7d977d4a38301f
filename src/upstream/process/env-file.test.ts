import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readEnvFile } from './env-file.ts';
import type { ProxyError } from '../../contract/errors.ts';
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
  test('names the file as the configuration does, never with what a reference stands for', () => {
    const values: Record<string, string> = { NONE: 'CANARY', SHORT: 'QXZ', BAD: 'CANARY\0', LINES: dir };
    const resolve = (text: string) => text.replace(/\$\{(\w+)\}/g, (_, name: string) => values[name]!);
    const complaint = (envFile: string) => {
      try {
        resolveServer({ command: 'x', env_file: envFile }, resolve);
      } catch (error) {
        return error as ProxyError;
      }
      throw new Error('it was read');
    };
    file('broken');
    for (const [written, why] of [
      ['/nope-${NONE}', 'ENOENT'],
      ['/nope-${SHORT}', 'ENOENT'],
      ['/nope-${BAD}', 'cannot be used'],
      ['${LINES}', 'not a file'],
      ['${LINES}/.env', 'line 1'],
    ] as const) {
      const { message, details } = complaint(written);
      expect(message).toContain(JSON.stringify(written));
      expect(message).toContain(why);
      expect(`${message} ${JSON.stringify(details)}`).not.toMatch(/CANARY|QXZ/);
      expect(`${message} ${JSON.stringify(details)}`).not.toContain(dir);
    }
  });
  test('gives a server its variables; those of the entry beat it, and its values are masked', () => {
    const config = { command: 'x', env: { B: 'own' }, env_file: file('A=file-secret\nB=other') };
    const resolved = resolveServer(config, (text) => text);
    expect(resolved.env).toEqual({ A: 'file-secret', B: 'own' });
    expect(resolved.shown('says file-secret')).toBe('says ***');
  });
});
