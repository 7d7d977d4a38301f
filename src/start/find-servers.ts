import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import {
  CLIENTS,
  clientNamed,
  findClientFiles,
  readNamedFile,
  readNamedText,
  type FoundFile,
  type Surroundings,
} from '../clients/index.ts';
import { nearestWord } from '../contract/entry/server-entry.ts';
import { ProxyError } from '../contract/errors.ts';
import { currentFolder, type ClientFile, type ImportSource } from '../doors/cli/index.ts';
import { visibleLine } from '../lib/visible-text.ts';

/** The servers in the files of clients on this machine. */
export async function findServers({ named, text }: ImportSource): Promise<ClientFile[]> {
  const around: Surroundings = {
    home: homedir(),
    cwd: currentFolder(),
    platform: process.platform,
    env: process.env,
  };
  if (text !== undefined) return [await readNamedText(text)].map(usable);
  if (named === undefined) return findClientFiles(around);
  // A file may have the name of a client.
  const client = /[./\\]/.test(named) ? undefined : clientNamed(named);
  if (client) return findClientFiles(around, client.id);
  if (!existsSync(named)) throw noSuchSource(named);
  return [usable(await readNamedFile(resolve(named), around))];
}

function noSuchSource(named: string): ProxyError {
  const clients = CLIENTS.map(({ id }) => id);
  const near = nearestWord(named, clients);
  const hint = near === undefined ? `Clients: ${clients.join(', ')}` : `Did you mean "${near}"?`;
  return new ProxyError('USAGE', `There is no file and no client named '${visibleLine(named)}'. ${hint}`, {
    source: named,
  });
}

/** A file that a person named must be readable. */
function usable(found: FoundFile): FoundFile {
  if (found.problem === undefined) return found;
  const where = found.file === '-' ? 'The text' : found.file;
  throw new ProxyError('CONFIG_INVALID', `${where} cannot be imported: ${found.problem}`, {
    import: found.file,
  });
}
