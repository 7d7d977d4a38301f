import type { Config, ServerConfig } from '../contract/config.ts';
import type { OAuthConfig } from '../contract/oauth.ts';
import { OAUTH_SECRETS } from '../contract/oauth.ts';
import { isObject, type JsonObject } from '../json/index.ts';
import { MASK, hidden, maskedArguments, maskedUrl } from './mask-target.ts';
import { maskedAddress } from './masked-parts.ts';

/** The configuration without the values of secrets. References stay: they are only names. */
export function showConfig(config: Config): Config {
  return {
    ...config,
    ...(config.api_key && { api_key: hidden(config.api_key) }),
    ...(config.database_url && { database_url: withoutUser(config.database_url) }),
    approvals: showApprovals(config.approvals),
    activity: showActivity(config.activity),
    mcpServers: Object.fromEntries(
      Object.entries(config.mcpServers).map(([name, server]) => [
        name,
        {
          ...showServer(server),
          // Any value of a query may be a secret.
          ...(server.url !== undefined && { url: maskedAddress(server.url, 'all') }),
        },
      ]),
    ),
  };
}

/** The settings of a server without the values of secrets. */
export function showServer<S extends ServerConfig>(server: S): S {
  const [command, ...args] = maskedArguments([server.command ?? '', ...(server.args ?? [])]);
  return {
    ...server,
    ...(server.command !== undefined && { command }),
    ...(server.args && { args }),
    ...(server.env && { env: hideValues(server.env) }),
    ...(server.headers && { headers: hideValues(server.headers) }),
    ...(server.url !== undefined && { url: maskedAddress(server.url) }),
    ...(server.oauth && { oauth: showOAuth(server.oauth) }),
  };
}

function showOAuth(oauth: OAuthConfig): OAuthConfig {
  const shown = { ...oauth };
  for (const key of OAUTH_SECRETS) if (oauth[key] !== undefined) shown[key] = hidden(oauth[key]);
  return shown;
}

/** Settings of the proxy as they were sent, not yet validated, without the values of secrets. */
export function showSettings(settings: JsonObject): JsonObject {
  const { approvals, activity } = settings;
  return {
    ...settings,
    ...(isObject(approvals) && { approvals: showApprovals(approvals) }),
    ...(isObject(activity) && { activity: showActivity(activity) }),
  };
}

function showApprovals<A extends { notify?: unknown }>(approvals: A): A {
  const { notify } = approvals;
  if (!Array.isArray(notify)) return approvals;
  return { ...approvals, notify: maskedArguments(notify.map(String)).map(withoutAddressPath) };
}

function showActivity<A extends { witness?: unknown }>(activity: A): A {
  const { witness } = activity;
  if (!Array.isArray(witness)) return activity;
  return { ...activity, witness: witness.map((each) => (isObject(each) ? showWitness(each) : MASK)) };
}

/** The path of a hook is often its secret. */
function showWitness({ command, url, ...rest }: JsonObject): JsonObject {
  return {
    ...rest,
    ...(command !== undefined && {
      command: Array.isArray(command) ? maskedArguments(command.map(String)) : MASK,
    }),
    ...(url !== undefined && {
      url: typeof url === 'string' && URL.canParse(url) ? withoutPath(new URL(url)) : MASK,
    }),
  };
}

const withoutPath = ({ origin, pathname, search }: URL) =>
  pathname === '/' && search === '' ? `${origin}/` : `${origin}/${MASK}`;

function hideValues(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, hidden(value)]));
}

/** Up to the last @: a password may contain an unencoded one. */
function withoutUser(url: string): string {
  return maskedUrl(url.replace(/\/\/.*@/s, `//${MASK}@`), 'all');
}

/** The path of the address of a chat room is its password. Where it leads stays readable. */
function withoutAddressPath(word: string): string {
  const [, before, origin, path = ''] = /^([^\s]*?)(https?:\/\/[^/?#\s]+)([^\s]*)$/.exec(word) ?? [];
  return origin === undefined || path.length <= 1 ? word : `${before}${origin}/${MASK}`;
}
