import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { runInspector } from '../../test/e2e/run-inspector.ts';
import type { Place } from '../../test/fixtures/mcp-clients.ts';
import type { Json } from '../../test/fixtures/mcp-harness.ts';

export const CLIENTS = [
  'SDK 1.x, 2025',
  'SDK 2, 2025',
  'SDK 2, 2026',
  'Inspector, 2025',
  'Inspector, 2026',
] as const;
export type ClientKind = (typeof CLIENTS)[number];

export const isInspector = (kind: ClientKind): boolean => kind.startsWith('Inspector');
export const isModern = (kind: ClientKind): boolean => kind.endsWith('2026');

const LISTS = {
  tools: ['listTools', 'tools/list'],
  prompts: ['listPrompts', 'prompts/list'],
  resources: ['listResources', 'resources/list'],
  resourceTemplates: ['listResourceTemplates', 'resources/templates/list'],
} as const;
export type ListName = keyof typeof LISTS;

/** What is compared of a client, whichever it is. A list that a server does not have is empty. */
export interface ParityClient {
  /** How many of a kind are used. */
  readonly most?: number;
  list(name: ListName): Promise<Json[]>;
  call(name: string, args: Json): Promise<Json>;
  prompt(name: string, args: Json): Promise<Json>;
  read(uri: string): Promise<Json>;
  /** Absent in the Inspector, whose command line has none. */
  complete?(prompt: string, argument: Json): Promise<Json>;
  close(): Promise<void>;
}

/** Of the Inspector, as each takes a process. */
const MOST = 2;
const INFO = { name: 'parity', version: '1' };
/** server-everything has some of its tools only for clients that can be asked. */
const ABLE = { capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} } };

export async function connect(kind: ClientKind, place: Place, home: string): Promise<ParityClient> {
  if (isInspector(kind)) return inspector(isModern(kind) ? 'auto' : 'legacy', place, home);
  const client: Json =
    kind === 'SDK 1.x, 2025'
      ? new ClientV1(INFO, ABLE)
      : new Client(INFO, { ...ABLE, versionNegotiation: { mode: isModern(kind) ? 'auto' : 'legacy' } });
  await client.connect(transportFor(kind, place));
  return {
    list: async (name) => (await client[LISTS[name][0]]().catch(() => ({ [name]: [] })))[name],
    call: (name, args) => client.callTool({ name, arguments: args }),
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
    read: (uri) => client.readResource({ uri }),
    complete: async (name, argument) =>
      (await client.complete({ ref: { type: 'ref/prompt', name }, argument })).completion,
    close: () => client.close(),
  };
}

function transportFor(kind: ClientKind, place: Place): unknown {
  const [Stdio, Http]: Json[] =
    kind === 'SDK 1.x, 2025' ? [StdioV1, HttpV1] : [StdioClientTransport, StreamableHTTPClientTransport];
  if ('command' in place) return new Stdio({ ...place, stderr: 'ignore' });
  return new Http(new URL(place.url), { requestInit: { headers: place.headers ?? {} } });
}

/** The command line of the Inspector: a process for each request. */
function inspector(era: string, place: Place, home: string): ParityClient {
  const ask = async (...options: string[]): Promise<Json> => {
    const { output, stderr } = await runInspector(home, place, ['--protocol-era', era, ...options]);
    if (output?.result === undefined) throw new Error(`the Inspector, ${options.join(' ')}: ${stderr}`);
    return output.result;
  };
  return {
    most: MOST,
    list: async (name) => (await ask('--method', LISTS[name][1]).catch(() => ({ [name]: [] })))[name],
    call: (name, args) =>
      ask('--method=tools/call', `--tool-name=${name}`, `--tool-args-json=${JSON.stringify(args)}`),
    prompt: (name, args) =>
      ask('--method=prompts/get', `--prompt-name=${name}`, ...pairs('--prompt-args', args)),
    read: (uri) => ask('--method=resources/read', `--uri=${uri}`),
    close: async () => undefined,
  };
}

function pairs(option: string, args: Json): string[] {
  const texts = Object.entries(args).map(([key, value]) => `${key}=${String(value)}`);
  return texts.length === 0 ? [] : [option, ...texts];
}
