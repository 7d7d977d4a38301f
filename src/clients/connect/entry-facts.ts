import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomically } from '../../config/index.ts';
import { readClientFile } from './client-file.ts';
import { clientsFolder, type Connected, type ConnectionKey } from './manifest.ts';
import type { EntryFacts, Recipe } from './recipes/recipe.ts';
import { tokenName } from './recipes/recipes.ts';

interface FactSource {
  key: ConnectionKey;
  url: string;
  token: string;
  dataDir: string;
  platform: NodeJS.Platform;
  stdio: { command: string; args: string[] };
}

/** What the entry of a client is made of. */
export function entryFacts(
  recipe: Recipe,
  { key, url, token, dataDir, platform, stdio }: FactSource,
): EntryFacts {
  const file = join(clientsFolder(dataDir), tokenName(key));
  const tokenFile = `${file}.token`;
  const headerFile = `${file}.header.json`;
  return {
    url,
    scope: key.scope,
    authorization: `Bearer ${key.scope === 'project' ? (recipe.project?.reference ?? '') : token}`,
    tokenFile,
    headerFile,
    headerCommand: platform === 'win32' ? `type "${headerFile}"` : `cat ${quoted(headerFile)}`,
    stdio: { ...stdio, env: { MCPPROXY_TOKEN_FILE: tokenFile } },
  };
}

/** The files of the data directory that hold the token. A project has none: each user sets the token. */
export function secretFiles(
  { token: place }: Recipe,
  { scope, tokenFile, headerFile }: EntryFacts,
  token: string,
): Array<{ file: string; text: string }> {
  if (scope === 'project' || place === 'entry') return [];
  if (place === 'file') return [{ file: tokenFile, text: token }];
  return [{ file: headerFile, text: `${JSON.stringify({ Authorization: `Bearer ${token}` })}\n` }];
}

export function writeSecret({ file, text }: { file: string; text: string }): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  chmodSync(dirname(file), 0o700);
  writeFileAtomically(file, text, 0o600);
}

export function missingSecrets({ secrets }: Connected): string[] {
  return secrets.flatMap((file) => {
    const read = readClientFile(file);
    return read === undefined || 'problem' in read ? [`${file}: the file with the token is gone`] : [];
  });
}

function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
