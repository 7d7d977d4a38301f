import { MARKER_NAME, variableProblem, words } from '../../contract/config.ts';
import { ProxyError } from '../../contract/errors.ts';

/** Upper case, as Windows does not tell cases apart. Documented in docs/guides/servers.md, which a test compares. */
export const INHERITED = {
  user: words('HOME LOGNAME PATH SHELL TERM USER LANG TZ TMPDIR'),
  /** Certificates of a company, and the way out of its network. */
  network: words(`
    SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA REQUESTS_CA_BUNDLE CURL_CA_BUNDLE AWS_CA_BUNDLE
    PIP_CERT UV_NATIVE_TLS UV_SYSTEM_CERTS GIT_SSL_CAINFO NPM_CONFIG_CAFILE DENO_CERT DENO_TLS_CA_STORE
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY NODE_USE_ENV_PROXY`),
  /** Addresses of package registries, from which npx and uvx install. One with a password in it is left out. */
  registries: words(`
    NPM_CONFIG_REGISTRY PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_DEFAULT_INDEX UV_INDEX_URL UV_EXTRA_INDEX_URL`),
  /** What Windows programs cannot start without. */
  windows: words(`
    APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES
    PROGRAMFILES(X86) SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR`),
};
const INHERITED_PREFIX = /^(LC_|XDG_)/;

export interface ChildEnvParts {
  /** The variables configured for the server. */
  configured: Record<string, string>;
  marker: string;
  /** The names of further variables to inherit (`inherit_env`). */
  inherit?: readonly string[] | undefined;
  own?: NodeJS.ProcessEnv;
}

/** The complete environment of a child: allowed variables of the proxy, then those configured for the server. */
export function childEnv({
  configured,
  marker,
  inherit = [],
  own = process.env,
}: ChildEnvParts): Record<string, string> {
  const env: Record<string, string> = {};
  const asked = new Set(inherit.map((name) => name.toUpperCase()));
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined || value.startsWith('()')) continue;
    if (asked.has(name.toUpperCase()) || isInherited(name, value)) env[name] = value;
  }
  for (const [name, value] of Object.entries(configured)) {
    checkVariable(name, value);
    env[name] = value;
  }
  return { ...env, [MARKER_NAME]: marker };
}

function isInherited(name: string, value: string): boolean {
  const upper = name.toUpperCase();
  const { user, network, registries, windows } = INHERITED;
  if (registries.has(upper)) return !hasCredentials(value);
  return user.has(upper) || network.has(upper) || windows.has(upper) || INHERITED_PREFIX.test(name);
}

function hasCredentials(value: string): boolean {
  return /\/\/[^/]*@/.test(value);
}

function checkVariable(name: string, value: string): void {
  const problem = variableProblem(name);
  if (problem !== undefined) throw invalid(name, problem);
  if (value.includes('\0')) throw invalid(name, 'has a value with a NUL character; remove it');
}

function invalid(name: string, why: string): ProxyError {
  return new ProxyError('CONFIG_INVALID', `environment variable ${JSON.stringify(name)} ${why}`, {
    variable: name,
  });
}
