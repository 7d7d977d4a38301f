import { parse } from 'jsonc-parser';
import type { Config } from '../../contract/config.ts';
import { isObject, textExceedsDepth } from '../../json/index.ts';
import { readConfigText } from './config-text.ts';
import { dataDirOf, type Settings } from '../settings.ts';

/** The settings that a client needs to find a running daemon. */
export interface DaemonLocation {
  dataDir: string;
  config: Pick<Config, 'api_key'>;
}

/**
 * Finds a running daemon although the configuration file is invalid: by flags and environment first, then by the readable part of the file.
 * A file that others can write to is not used.
 */
export function salvageDaemonLocation(settings: Settings): DaemonLocation {
  const { data_dir, api_key } = { ...readablePart(settings.configFile), ...settings.overrides };
  return {
    dataDir: dataDirOf({ ...(data_dir !== undefined && { data_dir }) }, settings),
    config: { ...(api_key !== undefined && { api_key }) },
  };
}

function readablePart(file: string): Pick<Config, 'data_dir' | 'api_key'> {
  try {
    const text = readConfigText(file);
    // The parser continues after an error.
    const value: unknown = textExceedsDepth(text) ? undefined : parse(text, [], { allowTrailingComma: true });
    if (!isObject(value)) return {};
    const { data_dir, api_key } = value;
    return {
      ...(typeof data_dir === 'string' && { data_dir }),
      ...(typeof api_key === 'string' && { api_key }),
    };
  } catch {
    // Flags, environment and defaults remain.
    return {};
  }
}
