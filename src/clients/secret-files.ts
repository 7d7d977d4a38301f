import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newId } from '../lib/clock.ts';
import type { SecretFile } from './move-secrets.ts';

/** The folder of the data directory for secrets that were moved out of the files of clients. */
export function secretsFolder(dataDir: string): string {
  return join(dataDir, 'secrets');
}

/** Writes files that only the owner can read. Returns a function that removes them again. */
export function writeSecretFiles(files: readonly SecretFile[]): () => void {
  const undo = () => files.forEach(({ path }) => rmSync(path, { force: true }));
  try {
    for (const { path, value } of files) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      chmodSync(dirname(path), 0o700);
      const temporary = `${path}.${newId()}`;
      writeFileSync(temporary, `${value}\n`, { mode: 0o600, flag: 'wx' });
      renameSync(temporary, path);
    }
  } catch (error) {
    undo();
    throw error;
  }
  return undo;
}
