import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Written by `npm run parity`. */
export const PYTHON_PARITY_FILE = fileURLToPath(new URL('python-parity.json', import.meta.url));

export interface PythonRow {
  /** Package and version. */
  readonly server: string;
  readonly what: string;
  /** By client: how many there are where both ways give the same. */
  readonly cells: readonly string[];
}

export interface PythonParity {
  readonly date: string;
  readonly clients: readonly string[];
  readonly rows: readonly PythonRow[];
}

/** The part of docs/conformance.md. */
export function pythonParityText(): string[] {
  if (!existsSync(PYTHON_PARITY_FILE)) return [];
  const { date, clients, rows } = JSON.parse(readFileSync(PYTHON_PARITY_FILE, 'utf8')) as PythonParity;
  return [
    '## Servers in Python, the same as without the proxy',
    '',
    `\`npm run parity\` (last run ${date}) installs the official servers in Python, and compares what each official client gets from them`,
    'directly and through the proxy at `/mcp/direct`: contents, not only numbers. `mcp` is a server with one of each kind on the official',
    'SDK. Annotations of tools are left out: the proxy makes them from its own verdict.',
    '',
    `| server | what | ${clients.join(' | ')} |`,
    `|---|---|${clients.map(() => '---|').join('')}`,
    ...rows.map(({ server, what, cells }) => `| \`${server}\` | ${what} | ${cells.join(' | ')} |`),
    '',
  ];
}
