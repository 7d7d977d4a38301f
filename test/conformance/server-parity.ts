import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Written by `npm run parity`. */
export const SERVER_PARITY_FILE = fileURLToPath(new URL('server-parity.json', import.meta.url));

export interface ParityRow {
  /** Package, version and era. */
  readonly server: string;
  readonly what: string;
  /** By client: how many there are where both ways give the same. */
  readonly cells: readonly string[];
}

export interface ServerParity {
  readonly date: string;
  readonly clients: readonly string[];
  readonly rows: readonly ParityRow[];
}

/** The part of docs/conformance.md. */
export function serverParityText(): string[] {
  if (!existsSync(SERVER_PARITY_FILE)) return [];
  const { date, clients, rows } = JSON.parse(readFileSync(SERVER_PARITY_FILE, 'utf8')) as ServerParity;
  return [
    '## Official servers and clients of both eras',
    '',
    `\`npm run parity\` (last run ${date}) compares what each official client gets from a server directly and through the proxy at`,
    '`/mcp/direct`: contents, not only numbers. `server` is a server with one of each kind on the official SDK for TypeScript, once for each',
    'era, `mcp` the same on that for Python. Clients of 2025 cannot use a server of 2026 without the proxy, so what they get there is',
    'compared with what a client of 2026 gets directly. Of tools, `annotations` and `execution` are left out: the proxy makes the hints from its own verdict, and can',
    'run each tool in the background. A server may offer tools only to clients that it can ask something; the proxy can be asked.',
    '',
    `| server | what | ${clients.join(' | ')} |`,
    `|---|---|${clients.map(() => '---|').join('')}`,
    ...rows.map(({ server, what, cells }) => `| \`${server}\` | ${what} | ${cells.join(' | ')} |`),
    '',
  ];
}
