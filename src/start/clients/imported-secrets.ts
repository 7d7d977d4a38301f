import { existsSync, rmSync } from 'node:fs';
import { sep } from 'node:path';
import { secretsFolder } from '../../clients/index.ts';
import { loadConfig, readSettings } from '../../config/index.ts';
import type { Config } from '../../contract/config.ts';
import type { Place } from '../../doors/cli/index.ts';
import { configPaths } from '../config-commands.ts';

/** The files with imported secrets that these servers refer to. */
export async function secretFiles(place: Place, servers: readonly string[]): Promise<string[]> {
  if (place.url !== undefined || servers.length === 0) return [];
  const { data_dir: dataDir } = await configPaths(place);
  const folder = secretsFolder(dataDir) + sep;
  const own = Object.entries(serversOf(place)).filter(([name]) => servers.includes(name));
  return filesIn(own.map(([, server]) => server)).filter((file) => file.startsWith(folder));
}

/** Removes files with secrets. Returns those that stay, because a server refers to them. */
export async function removeSecrets(place: Place, files: readonly string[]): Promise<string[]> {
  if (files.length === 0) return [];
  const used = filesIn(Object.values(serversOf(place)));
  const kept = files.filter((file) => used.includes(file));
  for (const file of files) if (!kept.includes(file)) rmSync(file, { force: true });
  return kept;
}

function serversOf(place: Place): Config['mcpServers'] {
  const { configFile, overrides } = readSettings(place, process.env);
  return existsSync(configFile) ? loadConfig(configFile, overrides).config.mcpServers : {};
}

function filesIn(servers: readonly unknown[]): string[] {
  const found = JSON.stringify(servers).matchAll(/\$\{file:((?:[^{}"\\]|\\.)+)\}/g);
  return [...new Set([...found].map(([, path]) => JSON.parse(`"${path}"`) as string))];
}
