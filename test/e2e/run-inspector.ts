import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Json } from '../fixtures/mcp-harness.ts';
import type { Place } from '../fixtures/mcp-clients.ts';
import { cleanEnv } from './start-proxy.ts';

const LAUNCHER = fileURLToPath(
  new URL(
    '../peers/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
    import.meta.url,
  ),
);

export interface InspectorResult {
  exitCode: number | null;
  stderr: string;
  /** The one JSON object on stdout; undefined if there was none. */
  output: Json;
}

/** The command line of the official Inspector. Its files go to the given home. */
export function runInspector(home: string, place: Place, options: string[]): Promise<InspectorResult> {
  // Its own 15 s are too few where the machine does much else.
  const own = [...options, '--connect-timeout', '90000', '--stored-auth-only', '--format', 'json', '-q'];
  const child = spawn(process.execPath, [LAUNCHER, ...argumentsFor(place, own)], {
    env: cleanEnv(home),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 280_000,
  });
  const [out, err]: string[][] = [[], []];
  child.stdout.setEncoding('utf8').on('data', (text: string) => out!.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => err!.push(text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => {
      const text = out!.join('').trim();
      resolve({ exitCode, stderr: err!.join(''), output: text === '' ? undefined : JSON.parse(text) });
    });
  });
}

/** A command to start comes last, so that its options are not taken for the Inspector's; an address comes first. */
function argumentsFor(place: Place, options: string[]): string[] {
  if ('command' in place) return ['--cli', ...options, '--', place.command, ...place.args];
  const headers = Object.entries(place.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return [
    '--cli',
    place.url,
    '--transport',
    'http',
    ...headers.flatMap((one) => ['--header', one]),
    ...options,
  ];
}
