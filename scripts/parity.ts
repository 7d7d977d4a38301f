import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { PYTHON_PARITY_FILE, type PythonParity, type PythonRow } from '../test/conformance/python-parity.ts';
import { startHere } from '../test/e2e/start-here.ts';
import { installPython, PYTHON_SERVERS, type PythonServer } from './parity/python-servers.ts';

// Compares the official servers in Python, direct and through the proxy, and writes the rows for docs/conformance.md.
// Run `npm run docs` afterwards. Without Python nothing is written.

const CLIENTS = ['SDK 1.x', 'SDK 2, 2025', 'SDK 2, 2026'] as const;
type Kind = (typeof CLIENTS)[number];
// oxlint-disable-next-line typescript/no-explicit-any -- two lines of the SDK with the same methods
type AnyClient = any;
const INFO = { name: 'parity', version: '1' };

const python = await installPython().catch((error: unknown) => {
  console.log(`*** SKIPPED: the servers in Python are NOT compared: ${String(error).slice(0, 300)} ***`);
  return process.exit(1);
});
const mcpServers = Object.fromEntries(
  PYTHON_SERVERS.map(({ name, args }) => [name, { command: python, args: [...args] }]),
);
const proxy = await startHere({ config: { mcpServers } });
const rows: PythonRow[] = [];
const problems: string[] = [];
try {
  for (const server of PYTHON_SERVERS) rows.push(...(await compare(server)));
} finally {
  await proxy.dispose();
}
for (const row of rows)
  console.log(`${row.server.padEnd(20)} ${row.what.padEnd(22)} ${row.cells.join(' · ')}`);
for (const problem of problems) console.log(`! ${problem}`);
const found: PythonParity = { date: new Date().toISOString().slice(0, 10), clients: [...CLIENTS], rows };
writeFileSync(PYTHON_PARITY_FILE, `${JSON.stringify(found, null, 2)}\n`);
console.log(`Wrote ${readFileSync(PYTHON_PARITY_FILE).length} bytes; run npm run docs`);
process.exit(problems.length === 0 ? 0 : 1);

async function compare(server: PythonServer): Promise<PythonRow[]> {
  const seen = new Map<string, { direct: unknown[]; through: unknown[] }>();
  for (const kind of CLIENTS) {
    const direct = await measure(await connectDirect(kind, server), server, '');
    const through = await measure(await connectThrough(kind), server, server.name);
    for (const what of Object.keys(direct)) {
      const both = seen.get(what) ?? { direct: [], through: [] };
      seen.set(what, { direct: [...both.direct, direct[what]], through: [...both.through, through[what]] });
    }
  }
  return [...seen].flatMap(([what, { direct, through }]) => {
    const counts = direct.map((value) => (Array.isArray(value) ? value.length : 0));
    if (counts.every((count) => count === 0)) return [];
    const cells = CLIENTS.map((kind, i) => {
      if (isDeepStrictEqual(direct[i], through[i])) return String(counts[i]);
      problems.push(
        `${server.name}, ${what}, ${kind}:\n  ${JSON.stringify(direct[i])}\n  ${JSON.stringify(through[i])}`,
      );
      return `differs (${counts[i]} direct)`;
    });
    return [{ server: `${server.package} ${server.version}`, what, cells }];
  });
}

async function connectDirect(kind: Kind, { args }: PythonServer): Promise<AnyClient> {
  const program = { command: python, args: [...args], stderr: 'ignore' as const };
  if (kind === 'SDK 1.x') return connected(new ClientV1(INFO), new StdioV1(program));
  return connected(newer(kind), new StdioClientTransport(program));
}

async function connectThrough(kind: Kind): Promise<AnyClient> {
  const url = new URL('/mcp/direct', proxy.url);
  const options = { requestInit: { headers: { authorization: `Bearer ${proxy.key}` } } };
  if (kind === 'SDK 1.x') return connected(new ClientV1(INFO), new HttpV1(url, options));
  return connected(newer(kind), new StreamableHTTPClientTransport(url, options));
}

function newer(kind: Kind): Client {
  // Direct, a server that knows only the 2025 revisions is used with those.
  return new Client(INFO, { versionNegotiation: { mode: kind === 'SDK 2, 2026' ? 'auto' : 'legacy' } });
}

async function connected(client: AnyClient, transport: unknown): Promise<AnyClient> {
  await client.connect(transport);
  return client;
}

/** Everything that the server has, without the names of the proxy. */
async function measure(
  client: AnyClient,
  server: PythonServer,
  of: string,
): Promise<Record<string, unknown[]>> {
  const [tool, prompt, uri] = of === '' ? ['', '', ''] : [`${of}__`, `${of}:`, `mcpproxy://${of}/`];
  const list = async (
    method: string,
    field: string,
    [key, prefix]: [string, string],
  ): Promise<AnyClient[]> => {
    const answer = await client[method]().catch(() => ({ [field]: [] }));
    const own = answer[field].filter((each: AnyClient) => each[key].startsWith(prefix));
    const plain: AnyClient[] = own.map(({ _meta, annotations: _annotations, ...rest }: AnyClient) => ({
      ...rest,
      [key]: rest[key].slice(prefix.length),
    }));
    // The proxy lists in an order of its own.
    return plain.toSorted((one, other) => (one[key] < other[key] ? -1 : 1));
  };
  try {
    const result: Record<string, unknown[]> = {
      'tools listed': await list('listTools', 'tools', ['name', tool]),
      'prompts listed': await list('listPrompts', 'prompts', ['name', prompt]),
      'resources listed': await list('listResources', 'resources', ['uri', uri]),
      'templates listed': await list('listResourceTemplates', 'resourceTemplates', ['uriTemplate', uri]),
    };
    const call =
      server.call && (await client.callTool({ name: tool + server.call.tool, arguments: server.call.args }));
    result['tools called'] = call
      ? [{ content: call.content, structured: call.structuredContent, isError: call.isError === true }]
      : [];
    result['prompts got'] = [];
    for (const [name, args] of Object.entries(server.prompts ?? {}))
      result['prompts got'].push((await client.getPrompt({ name: prompt + name, arguments: args })).messages);
    result['resources read'] = [];
    const uris = (result['resources listed'] as { uri: string }[]).map((each) => each.uri);
    for (const each of [...uris, ...(server.expanded ?? [])])
      result['resources read'].push((await client.readResource({ uri: uri + each })).contents);
    return result;
  } finally {
    await client.close();
  }
}
