import type { ServerState } from '../../contract/status.ts';

interface Troubled {
  name: string;
  state: ServerState;
  lastError: string | undefined;
  /** It is tried, without being configured. */
  isTrial?: boolean;
}

const UNUSABLE = 'its configuration cannot be used';

type Advice = (name: string) => string;

/** By what the last error says. It may quote the server, so that its words choose a sentence but never become part of one. */
const ADVICE: ReadonlyArray<readonly [RegExp, Advice]> = [
  [
    /^its configuration cannot be used/,
    (name) =>
      `Correct it with: mcpproxy upstream edit ${name}. Then check the file with: mcpproxy config validate`,
  ],
  [
    /^environment variable|^env_file|\$\{|is not set\b|must be set\b|\b(?:is|are) required\b|missing required|required environment|please set\b/i,
    (name) =>
      `Give it the setting that is missing, for example: mcpproxy upstream edit ${name} --env NAME=- (the value is read from stdin and kept in a private file)`,
  ],
  [
    /^command .* was not found|command not found|executable file not found/i,
    (name) =>
      `Install the program for the user who runs mcpproxy, or give its full path: mcpproxy upstream edit ${name} --set command=/full/path`,
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
    (name) =>
      `The package or image does not exist under this name, or needs a log-in. Correct it with: mcpproxy upstream edit ${name}`,
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
    (name) =>
      `If it only starts slowly, allow more time: mcpproxy upstream edit ${name} --set startup_timeout=5m. Its output: mcpproxy upstream logs ${name}`,
  ],
  [
    /rejects the credentials/,
    (name) =>
      `Give it a credential: mcpproxy upstream edit ${name} --header Authorization=- (the value is read from stdin and kept in a private file)`,
  ],
  [
    /\bENOTFOUND\b|\bEAI_AGAIN\b|could not resolve|\bECONNREFUSED\b|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT_TIMEOUT|HTTPS?_PROXY/i,
    () =>
      'Check that the server is running, its address, and the network. Behind a company proxy, start mcpproxy with HTTPS_PROXY and NO_PROXY set',
  ],
];

/** What to do about a server that is not ready. */
export function nextStep({ name, state, lastError, isTrial = false }: Troubled): string | undefined {
  if (state === 'disabled') return `Start it with: mcpproxy upstream enable ${name}`;
  if (state === 'needs_login') return `Run: mcpproxy upstream login ${name}`;
  if (state !== 'failed' && state !== 'degraded') return undefined;
  return isTrial ? knownAdvice(name, lastError ?? '') : adviceFor(name, lastError ?? '');
}

function knownAdvice(name: string, error: string): string | undefined {
  return ADVICE.find(([pattern]) => pattern.test(error))?.[1](name);
}

function adviceFor(name: string, error: string): string {
  const advice = knownAdvice(name, error) ?? `See its output with: mcpproxy upstream logs ${name}`;
  return error.startsWith(UNUSABLE) ? advice : `${advice}. Try it with: mcpproxy upstream test ${name}`;
}
