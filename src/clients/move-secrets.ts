import { join } from 'node:path';
import {
  isRandom,
  isSensitive,
  isServiceKey,
  maskedAddress,
  maskedArguments,
  REFERENCE,
  replaceMasked,
} from '../config/index.ts';
import type { ServerConfig } from '../contract/config.ts';
import { mapTexts, type TextPlace } from './setting-texts.ts';

/** A secret that gets a file of its own. */
export interface SecretFile {
  path: string;
  value: string;
}

export interface MovedSecrets {
  config: ServerConfig;
  files: SecretFile[];
}

interface SecretStore {
  /** Folder of the files. */
  folder: string;
  alias: string;
  env: Readonly<Record<string, string | undefined>>;
}

const OAUTH_SECRETS = ['client_secret', 'private_key', 'assertion', 'idp_client_secret'];
const MIN_IN_ENVIRONMENT = 8;

/** Settings with references in the place of secrets: to a variable that has the value already, or to a file that is to be written. */
export function moveSecrets(config: ServerConfig, store: SecretStore): MovedSecrets {
  const files: SecretFile[] = [];
  const refer = (value: string, place: TextPlace): string => {
    const variable = variableWith(value, store.env, place.key);
    if (variable !== undefined) return `\${env:${variable}}`;
    const path = join(store.folder, fileName(store.alias, place, files.length));
    files.push({ path, value });
    return `\${file:${path}}`;
  };
  const masked = maskedArguments([config.command ?? '', ...(config.args ?? [])]);
  const moved = mapTexts(config, (text, place) => {
    if (place.setting === 'env' || place.setting === 'headers')
      return movedValue(withoutDefault(text, place, store.env), place, refer);
    if (place.setting === 'url')
      return replaceMasked(text, maskedAddress(text), (part) => refer(part, place));
    if (place.setting === 'oauth' && OAUTH_SECRETS.includes(place.key ?? ''))
      return REFERENCE.test(text) ? text : refer(text, place);
    if (place.setting !== 'args') return text;
    if (isServiceKey(text)) return refer(text, place);
    return replaceMasked(text, masked[Number(place.key)]!, (part) => refer(part, place));
  });
  return { config: moved, files };
}

export const SCHEME = /^(Bearer|Basic|Token|ApiKey)\s+(?=\S)/i;

function movedValue(
  value: string,
  place: TextPlace,
  refer: (value: string, place: TextPlace) => string,
): string {
  if (REFERENCE.test(value)) return value;
  if (isSecret(value, place)) {
    const [scheme = ''] = SCHEME.exec(value) ?? [];
    return scheme + refer(value.slice(scheme.length), place);
  }
  const [, masked = ''] = maskedArguments(['', value]);
  return replaceMasked(value, masked, (part) => refer(part, place));
}

const WITH_DEFAULT = /^\$\{(?:env:)?([A-Za-z_]\w*):-([^}]+)\}$/;

/** The default of a reference may be a secret. It counts where the variable is not set. */
function withoutDefault(text: string, place: TextPlace, env: SecretStore['env']): string {
  const [, name, preset] = WITH_DEFAULT.exec(text) ?? [];
  if (name === undefined || !isSecret(preset!, place)) return text;
  return env[name] ? `\${env:${name}}` : preset!;
}

function isSecret(value: string, { key = '' }: TextPlace): boolean {
  return isSensitive(key) ? !isHarmless(value) : value.split(/[\s,;]+/).some(isRandom);
}

/** Values of settings whose name alone looks like that of a secret: switches, numbers, paths. */
function isHarmless(text: string): boolean {
  return (
    text === '' ||
    /^(?:true|false|yes|no|on|off|none|\d{1,6})$/i.test(text) ||
    /^(?:\/|~\/|[A-Za-z]:\\)/.test(text)
  );
}

/** A variable of the proxy with this value; that of the same name comes first. */
function variableWith(value: string, env: SecretStore['env'], name = ''): string | undefined {
  if (value.length < MIN_IN_ENVIRONMENT) return undefined;
  if (env[name] === value) return name;
  return Object.keys(env)
    .sort()
    .find((each) => env[each] === value && isSensitive(each) && /^[A-Za-z_]\w*$/.test(each));
}

export function fileName(alias: string, { setting, key }: TextPlace, count: number): string {
  const plain = (key ?? '').replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60);
  return [alias, setting, plain, String(count + 1)].filter((part) => part !== '').join('.');
}
