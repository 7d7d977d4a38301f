import type { ServerState } from '../../contract/status.ts';

interface Troubled {
  /** Absent for a server that is tried without being configured. */
  name?: string | undefined;
  state: ServerState;
  lastError: string | undefined;
  /** It is tried, and this is how: by an address, or by a command. */
  trial?: 'URL' | 'COMMAND';
}

const UNUSABLE = 'its configuration cannot be used';

type Advice = (server: Pick<Troubled, 'name' | 'trial'>, variable: string) => string;

/** By what the last error says. It may quote the server, so that its words choose a sentence; only the name of a variable becomes part of one. */
const ADVICE: ReadonlyArray<readonly [RegExp, Advice]> = [
  [
    /^its configuration cannot be used/,
    (server) => `${corrected(server)}. Then check the file with: mcpproxy config validate`,
  ],
  [
    /^environment variable|^env_file|\$\{|is not set\b|must be set\b|\b(?:is|are) required\b|missing required|required environment|please set\b/i,
    (server, variable) =>
      `Give it the setting that is missing, for example: ${changed(server, `--env ${variable}=-`)} ${fromStdin(server)}`,
  ],
  [
    /^command .* was not found|command not found|executable file not found/i,
    (server) => {
      const advice = 'Install the program for the user who runs mcpproxy, or give its full path';
      return server.name === undefined ? advice : `${advice}: ${changed(server, '--set command=/full/path')}`;
    },
  ],
  [
    /Cannot find module '(?:\/|[A-Z]:\\)(?![^']*node_modules)[^']*'(?! imported)|can't open file/i,
    (server) =>
      `The file does not exist. Give its full path. A relative path is taken from the directory of the daemon, unless the server has another one: ${changed(server, '--set cwd=/full/path')}`,
  ],
  [
    /No module named|Cannot find (?:module|package)/i,
    () => 'A module is missing. Install the server again in the environment that its command uses',
  ],
  [
    /\b(?:AttributeError|ImportError): /,
    () =>
      'The program does not work with a library that was installed with it. Use a newer version of the program, or require the older library: for uvx, arguments such as --with "mcp<2" before the name of the program',
  ],
  [
    /\bE404\b|404 Not Found|No matching distribution|not found in the package registry|pull access denied|manifest unknown/i,
    (server) =>
      `The package or image does not exist under this name, or needs a log-in. ${corrected(server)}`,
  ],
  [
    /CERTIFICATE_VERIFY_FAILED|self[- ]signed certificate|issuer certificate|verify the first certificate|invalid peer certificate/i,
    () =>
      'The certificate is not trusted. Start mcpproxy with NODE_EXTRA_CA_CERTS and SSL_CERT_FILE set to the certificates of your network',
  ],
  [/Docker daemon|docker daemon/, () => 'Start Docker, and allow the user who runs mcpproxy to use it'],
  [
    /\bEACCES\b|\bEPERM\b|permission denied|may not be executed/i,
    () => 'Check that the user who runs mcpproxy may run the program and read its files',
  ],
  [
    /^no answer to the handshake/,
    (server) => {
      const advice = `If it only starts slowly, allow more time: ${changed(server, '--set startup_timeout=5m')}`;
      return server.name === undefined
        ? advice
        : `${advice}. Its output: mcpproxy upstream logs ${server.name}`;
    },
  ],
  [
    /rejects the credentials/,
    (server) => `Give it a credential: ${changed(server, '--header Authorization=-')} ${fromStdin(server)}`,
  ],
  [
    /\bENOTFOUND\b|\bEAI_AGAIN\b|could not resolve|\bECONNREFUSED\b|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT_TIMEOUT|HTTPS?_PROXY/i,
    () =>
      'Check that the server is running, its address, and the network. Behind a company proxy, start mcpproxy with HTTPS_PROXY and NO_PROXY set',
  ],
];

/** The command that changes a setting; for a server that is not configured, the test with that setting. */
function changed({ name, trial }: Parameters<Advice>[0], flag: string): string {
  if (name !== undefined) return `mcpproxy upstream edit ${name} ${flag}`;
  const option = flag.replace(/^--set (\w+)=/, (_, key: string) => `--${key.replace('_', '-')} `);
  return trial === 'URL'
    ? `mcpproxy upstream test URL ${option}`
    : `mcpproxy upstream test ${option} -- COMMAND`;
}

function corrected({ name }: Parameters<Advice>[0]): string {
  return name === undefined ? 'Correct it' : `Correct it with: mcpproxy upstream edit ${name}`;
}

function fromStdin({ name }: Parameters<Advice>[0]): string {
  return name === undefined
    ? '(the value is read from stdin)'
    : '(the value is read from stdin and kept in a private file)';
}

const VARIABLE =
  /\b([A-Z][A-Z0-9_]{1,63})\b["'`]?(?: environment variable)? (?:is|was|must|are)\b|\b(?:[Vv]ariables?|[Ss]et|[Mm]issing|[Rr]equired):? ["'`]?([A-Z][A-Z0-9_]{1,63})\b/;

/** The variable that the output of a program names as missing. */
function variableIn(error: string): string {
  const [, output = ''] = error.split(/its output: (.*)/s);
  const [, before, after] = VARIABLE.exec(output) ?? [];
  return before ?? after ?? 'NAME';
}

/** Only a configured server keeps its log-in. */
function loginAdvice(name: string | undefined): string {
  return name === undefined
    ? 'Add it with: mcpproxy upstream add NAME --url URL. Then run: mcpproxy upstream login NAME'
    : `Run: mcpproxy upstream login ${name}`;
}

/** What to do about a server that is not ready. */
export function nextStep({ name, state, lastError = '', trial }: Troubled): string | undefined {
  if (state === 'disabled') return `Start it with: mcpproxy upstream enable ${name}`;
  if (state === 'needs_login') return loginAdvice(name);
  if (state !== 'failed' && state !== 'degraded') return undefined;
  const [, advise] = ADVICE.find(([pattern]) => pattern.test(lastError)) ?? [];
  const advice = advise?.({ name, ...(trial && { trial }) }, variableIn(lastError));
  if (trial !== undefined) return advice;
  const said = advice ?? `See its output with: mcpproxy upstream logs ${name}`;
  return lastError.startsWith(UNUSABLE) ? said : `${said}. Try it with: mcpproxy upstream test ${name}`;
}
