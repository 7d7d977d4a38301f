import { maskedAddress, maskedArguments, resolveSecrets } from '../config/index.ts';
import type { ServerConfig } from '../contract/config.ts';
import { canonicalJson } from '../json/index.ts';
import { mapTexts } from './setting-texts.ts';

/** What a server is, with all values: two entries of the same definition are the same server. Never shown or stored. */
export function definitionOf(config: ServerConfig): string {
  const { command, args, env, cwd, url, headers, env_file } = mapTexts(config, resolvedOr);
  return canonicalJson({
    command,
    args: args ?? [],
    env: env ?? {},
    cwd,
    url: url?.replace(/\/$/, ''),
    headers: headers ?? {},
    env_file,
  });
}

/** A reference that cannot be resolved now stands for itself. */
function resolvedOr(text: string): string {
  try {
    return resolveSecrets(text, undefined, { plain: true });
  } catch {
    return text;
  }
}

const REFERENCE = /\$\{[^{}]*\}|\{(?:env|file):[^{}]*\}/g;

/** The target without secrets and references: the same for an entry and for what was made of it. */
export function targetShape(config: ServerConfig): string {
  const { url, command = '', args = [] } = mapTexts(config, (text) => text.replace(REFERENCE, '***'));
  if (url !== undefined) return maskedAddress(url).replace(/\/$/, '');
  return maskedArguments([command, ...args]).join('\0');
}

/** The command line or URL for people, with secrets masked. */
export function shownTarget({ url, command, args = [] }: ServerConfig): string {
  if (url !== undefined) return maskedAddress(url, 'all');
  return command === undefined ? '' : maskedArguments([command, ...args]).join(' ');
}
