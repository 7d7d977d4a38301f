import { parse } from 'jsonc-parser';
import type { Config } from '../../contract/config.ts';
import { isObject, textExceedsDepth } from '../../json/index.ts';
import { readConfigText } from '../load.ts';
import { dataDirOf, type Settings } from '../settings.ts';

/** What a client needs to find a running daemon. */
export interface DaemonPlace {
  dataDir: string;
  config: Pick<Config, 'api_key'>;
}

/**
 * Where a running daemon is to be found although the configuration file is invalid: flags and environment first, then what can still be read
 * in the file. A file that others can write to says nothing.
 */
export function salvagePlace(settings: Settings): DaemonPlace {
  const { data_dir, api_key } = { ...readablePart(settings.configFile), ...settings.overrides };
  return {
    dataDir: dataDirOf({ ...(data_dir !== undefined && { data_dir }) }, settings),
    config: { ...(api_key !== undefined && { api_key }) },
  };
}

function readablePart(file: string): Pick<Config, 'data_dir' | 'api_key'> {
  try {
    const text = readConfigText(file);
    // The parser goes on after an error.
    const value: unknown = textExceedsDepth(text) ? undefined : parse(text, [], { allowTrailingComma: true });
    if (!isObject(value)) return {};
    const { data_dir, api_key } = value;
    return {
      ...(typeof data_dir === 'string' && { data_dir }),
      ...(typeof api_key === 'string' && { api_key }),
    };
  } catch {
    return {};
  }
}
