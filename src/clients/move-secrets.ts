import { join } from 'node:path';
import { isSensitive, maskedArguments, maskedUrl } from '../config/index.ts';
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

const MASK = '***';
const OAUTH_SECRETS = ['client_secret', 'private_key'];
/** Forms of keys that services give out. */
const KEY_FORM =
  /^(?:sk-|sk_|pk_|rk_|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|eyJ|hf_|npm_|lin_api_|ntn_|secret_|figd_|tvly-|r8_|dop_v1_|shpat_|SG\.|sntrys_|pat[-_])/;
const MIN_RANDOM = 16;
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
    if (place.setting === 'url') return withParts(text, maskedParts(text), (part) => refer(part, place));
    if (place.setting === 'oauth' && OAUTH_SECRETS.includes(place.key ?? ''))
      return REFERENCE.test(text) ? text : refer(text, place);
    if (place.setting !== 'args') return text;
    if (KEY_FORM.test(text) && isRandom(text)) return refer(text, place);
    return withParts(text, masked[Number(place.key)]!, (part) => refer(part, place));
  });
  return { config: moved, files };
}

const REFERENCE = /\$\{|\{(?:env|file):|(?:^|\s)\$[A-Za-z_]/;
const SCHEME = /^(Bearer|Basic|Token|ApiKey)\s+(?=\S)/i;

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
  return withParts(value, masked, (part) => refer(part, place));
}

const WITH_DEFAULT = /^\$\{(?:env:)?([A-Za-z_]\w*):-([^}]+)\}$/;

/** The default of a reference may be a secret. It counts where the variable is not set. */
function withoutDefault(text: string, place: TextPlace, env: SecretStore['env']): string {
  const [, name, preset] = WITH_DEFAULT.exec(text) ?? [];
  if (name === undefined || !isSecret(preset!, place)) return text;
  return env[name] ? `\${env:${name}}` : preset!;
}

const MIN_SEGMENT = 20;

/** The URL with its secrets masked, those in its path included: some services give each user an address. */
function maskedParts(url: string): string {
  const [, start = '', path = '', rest = ''] =
    /^([^/?#]*\/\/[^/?#]*)([^?#]*)([^]*)$/.exec(maskedUrl(url)) ?? [];
  const segments = path
    .split('/')
    .map((part) => (part.length >= MIN_SEGMENT && isRandom(part) ? MASK : part));
  const query = rest.replace(/([?&][^=&#?]*=)([^&#]+)/g, (whole, name: string, value: string) =>
    isRandom(value) ? name + MASK : whole,
  );
  return start === '' ? maskedUrl(url) : start + segments.join('/') + query;
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

/** Letters and digits mixed, as in keys; neither a path nor a URL nor words. */
function isRandom(word: string): boolean {
  if (word.length < MIN_RANDOM || !/^[\w.+=~-]+$/.test(word)) return false;
  return KEY_FORM.test(word) || (/\d/.test(word) && /[A-Za-z]/.test(word) && !/^[\d.]+$/.test(word));
}

/** Replaces the parts that a masked copy of the text hides. */
function withParts(text: string, masked: string, replace: (part: string) => string): string {
  if (masked === text) return text;
  const [first = '', ...kept] = masked.split(MASK);
  if (!text.startsWith(first)) return replace(text);
  let done = first;
  let at = first.length;
  for (const [index, piece] of kept.entries()) {
    const isLast = index === kept.length - 1;
    const end = isLast ? text.length - piece.length : text.indexOf(piece, at + 1);
    // The mask does not tell the parts: the whole text is a secret then.
    if (end < at || (piece === '' && !isLast) || !text.startsWith(piece, end)) return replace(text);
    const part = text.slice(at, end);
    done += (part === '' || REFERENCE.test(part) ? part : replace(part)) + piece;
    at = end + piece.length;
  }
  return done;
}

/** A variable of the proxy with this value; that of the same name comes first. */
function variableWith(value: string, env: SecretStore['env'], name = ''): string | undefined {
  if (value.length < MIN_IN_ENVIRONMENT) return undefined;
  if (env[name] === value) return name;
  return Object.keys(env)
    .sort()
    .find((each) => env[each] === value && isSensitive(each) && /^[A-Za-z_]\w*$/.test(each));
}

function fileName(alias: string, { setting, key }: TextPlace, count: number): string {
  const plain = (key ?? '').replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60);
  return [alias, setting, plain, String(count + 1)].filter((part) => part !== '').join('.');
}
