import type { Paths, Place, Validation } from '../cli/runtime.ts';
import { loadConfig } from '../config/load.ts';
import { dataDirOf, readSettings } from '../config/settings.ts';
import { showConfig } from '../config/show.ts';
import { ProxyError } from '../contract/errors.ts';
import { existsSync } from 'node:fs';
import { parseConfig } from '../config/parse.ts';

/** Where things are. Works without a file, and with an invalid one. */
export async function configPaths(place: Place): Promise<Paths> {
  const settings = readSettings(place, process.env);
  const dataDir = settings.overrides.data_dir ?? dataDirFromFile(place, settings.defaultDataDir);
  return { config_file: settings.configFile, data_dir: dataDir };
}

function dataDirFromFile(place: Place, fallback: string): string {
  const settings = readSettings(place, process.env);
  try {
    return dataDirOf(loadConfig(settings.configFile, settings.overrides).config, settings);
  } catch {
    return fallback;
  }
}

export async function configShow(place: Place): Promise<unknown> {
  const { configFile, overrides } = readSettings(place, process.env);
  return showConfig(
    existsSync(configFile)
      ? loadConfig(configFile, overrides).config
      : parseConfig('{}', configFile, overrides),
  );
}

export async function configValidate(place: Place, file?: string): Promise<Validation> {
  const settings = readSettings(place, process.env);
  const path = file ?? settings.configFile;
  try {
    loadConfig(path);
    return { file: path, problems: [] };
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error;
    const { problems } = error.details;
    return { file: path, problems: Array.isArray(problems) ? problems.map(String) : [error.message] };
  }
}
