import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { SERVER_PARITY_FILE, type ParityRow, type ServerParity } from '../test/conformance/server-parity.ts';
import { startHere } from '../test/e2e/start-here.ts';
import { CLIENTS, connect, isInspector, isModern, type ClientKind } from './parity/clients.ts';
import { measure, type Measured } from './parity/measure.ts';
import { startServers, type ParityServer } from './parity/servers.ts';

// Compares what official clients get from official servers, direct and through the proxy, and writes the rows for docs/conformance.md.
// Run `npm run docs` afterwards. Without Python nothing is written.
//
//   npm run parity                    all servers
//   npm run parity -- everything      only these, without writing anything

const { positionals: chosen } = parseArgs({ allowPositionals: true });
const started = await startServers().catch((error: unknown) => {
  console.log(`*** SKIPPED: the servers are NOT compared: ${String(error).slice(0, 300)} ***`);
  return process.exit(1);
});
const servers = started.servers.filter(({ name }) => chosen.length === 0 || chosen.includes(name));
const proxy = await startHere({
  // Each request of the Inspector is a session of its own, which it does not end.
  config: {
    mcpServers: Object.fromEntries(
      servers.map(({ name, place }) => [name, { ...place, client_connections: 200 }]),
    ),
  },
});
const rows: ParityRow[] = [];
const problems: string[] = [];
try {
  for (const server of servers) rows.push(...(await compare(server)));
} finally {
  await proxy.dispose();
  await started.stop();
}
for (const problem of problems) console.log(`! ${problem}`);
if (chosen.length === 0) {
  const found: ServerParity = { date: new Date().toISOString().slice(0, 10), clients: [...CLIENTS], rows };
  writeFileSync(SERVER_PARITY_FILE, `${JSON.stringify(found, null, 2)}\n`);
  console.log(`Wrote ${readFileSync(SERVER_PARITY_FILE).length} bytes; run npm run docs`);
}
process.exit(problems.length === 0 ? 0 : 1);

async function compare(server: ParityServer): Promise<ParityRow[]> {
  const columns: Array<Record<string, string>> = [];
  for (const kind of CLIENTS) columns.push(await column(server, kind));
  const kinds = Object.keys(columns[0]!).filter((what) =>
    columns.some((cells) => !['0', '–'].includes(cells[what] ?? '–')),
  );
  return kinds.map((what) => {
    const cells = columns.map((column) => column[what] ?? '–');
    console.log(`${server.label.padEnd(36)} ${what.padEnd(20)} ${cells.join(' · ')}`);
    return { server: server.label, what, cells };
  });
}

/** By kind, how many of a client are the same on both ways. */
async function column(server: ParityServer, kind: ClientKind): Promise<Record<string, string>> {
  if (isInspector(kind) && server.inspected !== true) return {};
  // A client that cannot use the server without the proxy is compared with one that can.
  const able = server.isModernOnly ? modernOf(kind) : kind;
  const direct = await measured(able, server, '');
  const through = await measured(kind, server, server.name);
  const cells: Record<string, string> = {};
  for (const [what, values] of Object.entries(direct)) {
    const isWithout = what === 'arguments completed' && isInspector(kind);
    const got = through[what]!;
    const isSame = isDeepStrictEqual(values, got);
    // The proxy can be asked for everything, and a server may offer more to such a client than to one that cannot.
    const hasMore =
      what === 'tools listed' && values.every((value) => got.some((one) => isDeepStrictEqual(one, value)));
    if (!isSame && !hasMore && !isWithout)
      problems.push(difference(`${server.name}, ${what}, ${kind}`, values, got));
    cells[what] = isWithout ? '–' : cellOf(values.length, got.length, isSame || hasMore);
  }
  return cells;
}

function modernOf(kind: ClientKind): ClientKind {
  return isInspector(kind) ? 'Inspector, 2026' : isModern(kind) ? kind : 'SDK 2, 2026';
}

function cellOf(direct: number, through: number, isEqual: boolean): string {
  if (!isEqual) return `differs (${direct} direct)`;
  return direct === through ? String(direct) : `${direct}, and ${through - direct} more through the proxy`;
}

async function measured(kind: ClientKind, server: ParityServer, of: string): Promise<Measured> {
  const headers = { authorization: `Bearer ${proxy.key}` };
  const place = of === '' ? server.place : { url: `${proxy.url}/mcp/direct`, headers };
  const client = await connect(kind, place, proxy.home);
  try {
    return await measure(client, server, of);
  } finally {
    await client.close();
  }
}

function difference(where: string, direct: readonly unknown[], through: readonly unknown[]): string {
  const first = direct.findIndex((value, i) => !isDeepStrictEqual(value, through[i]));
  const shown = (values: readonly unknown[]) => JSON.stringify(values[Math.max(first, 0)])?.slice(0, 600);
  return `${where}: ${direct.length} and ${through.length}\n  ${shown(direct)}\n  ${shown(through)}`;
}
