/** Variables that make a loader, an interpreter or a tool run other code. Upper case, as Windows does not tell cases apart. */
const DANGEROUS = words(`
  GCONV_PATH GLIBC_TUNABLES BASH_ENV ENV PROMPT_COMMAND SHELLOPTS BASHOPTS IFS
  NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE NPM_CONFIG_NODE_OPTIONS NPM_CONFIG_SCRIPT_SHELL
  PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONINSPECT PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB
  JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS DOTNET_STARTUP_HOOKS PHPRC
  GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS`);
const DANGEROUS_PREFIX = /^(LD_|DYLD_|BASH_FUNC_)/;

/** Inherited by everything that a server starts, so that processes which left its group can be found. */
export const MARKER_NAME = 'MCPPROXY_UPSTREAM';

export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Why a variable must not reach the program of a server, if it must not. */
export function variableProblem(name: string): string | undefined {
  const upper = name.toUpperCase();
  if (!VARIABLE_NAME.test(name)) return 'is not a valid name: use letters, digits and "_"';
  if (DANGEROUS.has(upper) || DANGEROUS_PREFIX.test(upper))
    return 'is refused because it can make the server run other code; remove it, or set it in a wrapper script';
  if (upper === MARKER_NAME) return 'is reserved by the proxy; remove it';
  return undefined;
}

export function words(text: string): Set<string> {
  return new Set(text.trim().split(/\s+/));
}
