import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { ensureDataDir, readSmallFile, writeFileAtomically } from '../../config/index.ts';
import type { Place, SetupState } from '../../doors/cli/index.ts';
import { isObject } from '../../json/index.ts';
import { configPaths } from '../config-commands.ts';

const MAX_BYTES = 1024 * 1024;
const CONFIG_BYTES = 64 * 1024 * 1024;

async function fileFor(place: Place): Promise<string> {
  const { data_dir: dataDir } = await configPaths(place);
  ensureDataDir(dataDir);
  return join(dataDir, 'setup.json');
}

/** What `mcpproxy setup` has done here, so that it can be undone. */
export async function readSetup(place: Place): Promise<SetupState> {
  const file = await fileFor(place);
  if (!existsSync(file)) return { servers: [], clients: [] };
  return JSON.parse(readSmallFile(file, MAX_BYTES)) as SetupState;
}

/** The settings as they are in the configuration file, without defaults. */
export async function fileSettings(place: Place): Promise<Record<string, unknown> | undefined> {
  if (place.url !== undefined) return undefined;
  const { config_file: file } = await configPaths(place);
  if (!existsSync(file)) return {};
  const value: unknown = parse(readSmallFile(file, CONFIG_BYTES), [], { allowTrailingComma: true });
  return isObject(value) ? value : {};
}

export async function writeSetup(place: Place, state: SetupState | undefined): Promise<void> {
  const file = await fileFor(place);
  if (state === undefined) rmSync(file, { force: true });
  else writeFileAtomically(file, `${JSON.stringify(state, null, 2)}\n`, 0o600);
}
