import { join } from 'node:path';
import { REFERENCE } from '../config/index.ts';
import type { ServerConfig } from '../contract/config.ts';
import { fileName, SCHEME, type MovedSecrets, type SecretFile } from './move-secrets.ts';
import { mapTexts, type TextPlace } from './setting-texts.ts';

interface SecretPlace {
  /** Folder of the files. */
  folder: string;
  alias: string;
  /** The settings before; absent for a new server. */
  present?: ServerConfig;
  /** The value that was given as a secret, as in "env.TOKEN". */
  secret?: string | undefined;
}

/**
 * Settings as they are written to the configuration. A value that was given as a secret gets a file of its own. A value that replaces one
 * in such a file is written to that file again.
 */
export function storeSecrets(
  config: ServerConfig,
  { folder, alias, present, secret }: SecretPlace,
): MovedSecrets {
  const files: SecretFile[] = [];
  const moved = mapTexts(config, (text, place) => {
    const before = valueAt(present, place);
    if (!isValue(place) || text === before || text === '' || REFERENCE.test(text)) return text;
    const known = fileIn(folder, before);
    const isSecret = `${place.setting}.${place.key}` === secret;
    if (known === undefined && !isSecret) return text;
    const path = known ?? join(folder, fileName(alias, place, files.length));
    const [scheme = ''] = SCHEME.exec(text) ?? [];
    files.push({ path, value: text.slice(scheme.length) });
    return `${scheme}\${file:${path}}`;
  });
  return { config: moved, files };
}

const isValue = ({ setting }: TextPlace) => setting === 'env' || setting === 'headers';

function valueAt(config: ServerConfig | undefined, { setting, key }: TextPlace): string | undefined {
  const values = setting === 'env' || setting === 'headers' ? config?.[setting] : undefined;
  return values && key !== undefined && Object.hasOwn(values, key) ? values[key] : undefined;
}

/** The file that a value refers to, if an import or an edit has written it. */
function fileIn(folder: string, value = ''): string | undefined {
  const path = /\$\{file:([^{}]+)\}$/.exec(value)?.[1];
  return path !== undefined && path === join(folder, path.slice(folder.length + 1)) ? path : undefined;
}
