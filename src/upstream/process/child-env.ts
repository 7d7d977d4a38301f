import { ProxyError } from '../../contract/errors.ts';

/** Upper case, as Windows does not tell cases apart; the second half is what Windows programs cannot start without. */
const INHERITED = words(`
  HOME LOGNAME PATH SHELL TERM USER LANG TZ TMPDIR
  APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86)
  SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR`);
const INHERITED_PREFIX = /^(LC_|XDG_)/;

/** Variables that make a loader, an interpreter or a tool run other code. */
const DANGEROUS = words(`
  GCONV_PATH GLIBC_TUNABLES BASH_ENV ENV PROMPT_COMMAND SHELLOPTS BASHOPTS IFS
  NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE NPM_CONFIG_NODE_OPTIONS NPM_CONFIG_SCRIPT_SHELL
  PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONINSPECT PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB
  JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS DOTNET_STARTUP_HOOKS PHPRC
  GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS`);
const DANGEROUS_PREFIX = /^(LD_|DYLD_|BASH_FUNC_)/;

function words(text: string): Set<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Inherited by everything that a server starts, so that processes which left its group can be found. */
export const MARKER_NAME = 'MCPPROXY_UPSTREAM';

/** The complete environment of a child: allowed variables of the proxy, then those configured for the server. */
export function childEnv(
  configured: Record<string, string>,
  marker: string,
  own: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined || value.startsWith('()')) continue;
    if (INHERITED.has(name.toUpperCase()) || INHERITED_PREFIX.test(name)) env[name] = value;
  }
  for (const [name, value] of Object.entries(configured)) {
    checkVariable(name, value);
    env[name] = value;
  }
  return { ...env, [MARKER_NAME]: marker };
}

function checkVariable(name: string, value: string): void {
  const upper = name.toUpperCase();
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw invalid(name, 'is not a valid name: use letters, digits and "_"');
  }
  if (DANGEROUS.has(upper) || DANGEROUS_PREFIX.test(upper)) {
    throw invalid(
      name,
      'is refused because it can make the server run other code; remove it, or set it in a wrapper script',
    );
  }
  if (upper === MARKER_NAME) throw invalid(name, 'is reserved by the proxy; remove it');
  if (value.includes('\0')) throw invalid(name, 'has a value with a NUL character; remove it');
}

function invalid(name: string, why: string): ProxyError {
  return new ProxyError('CONFIG_INVALID', `environment variable ${JSON.stringify(name)} ${why}`, {
    variable: name,
  });
}
