import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newId } from '../lib/clock.ts';
import type { SecretFile } from './move-secrets.ts';

/** The folder of the data directory for secrets that were moved out of the files of clients. */
export function secretsFolder(dataDir: string): string {
  return join(dataDir, 'secrets');
}

/** Writes files that only the owner can read. Returns a function that puts back what was there before. */
export function writeSecretFiles(files: readonly SecretFile[]): () => void {
  const before = files.map(({ path }) => ({
    path,
    text: existsSync(path) ? readFileSync(path, 'utf8') : undefined,
  }));
  const undo = () => {
    for (const { path, text } of before)
      if (text === undefined) rmSync(path, { force: true });
      else writePrivately(path, text);
  };
  try {
    for (const { path, value } of files) writePrivately(path, `${value}\n`);
  } catch (error) {
    undo();
    throw error;
  }
  return undo;
}

function writePrivately(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  chmodSync(dirname(path), 0o700);
  const temporary = `${path}.${newId()}`;
  writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, path);
}
