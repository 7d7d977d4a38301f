import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Place } from '../../test/fixtures/mcp-clients.ts';
import { officialServer, startHttpFixture } from '../../test/fixtures/start.ts';
import { installPython } from './install-python.ts';

type Args = Readonly<Record<string, unknown>>;
type Texts = Readonly<Record<string, string>>;

/** One server, and which of its answers do not change from call to call. */
export interface ParityServer {
  /** In the configuration of the proxy. */
  readonly name: string;
  /** Package, version and era. */
  readonly label: string;
  readonly place: Place;
  /** It knows no older revision, so that clients of 2025 cannot use it without the proxy. */
  readonly isModernOnly?: boolean;
  /** Used by the Inspector too, which starts a process for each request. */
  readonly inspected?: boolean;
  readonly calls?: ReadonlyArray<readonly [tool: string, args: Args]>;
  readonly prompts?: Readonly<Record<string, Texts>>;
  /** URIs of expanded templates. */
  readonly expanded?: readonly string[];
  readonly completions?: ReadonlyArray<{ prompt: string; argument: { name: string; value: string } }>;
}

const PYTHON = {
  mcp: '2.3.0',
  'mcp-server-time': '2026.10.19',
  'mcp-server-git': '2026.10.19',
  'mcp-server-fetch': '2026.10.24',
} as const;

export interface Servers {
  readonly servers: readonly ParityServer[];
  stop(): Promise<void>;
}

/** The official servers in Python and TypeScript, and servers with one of each kind on the official SDKs. */
export async function startServers(): Promise<Servers> {
  const python = await installPython(Object.entries(PYTHON).map((pair) => pair.join('==')));
  const older = await startHttpFixture('../conformance/fixture.mjs', '/mcp', '--era', '2025');
  const newer = await startHttpFixture('../conformance/fixture.mjs', '/mcp');
  const servers = [
    everything(),
    { name: 'ts2025', label: ofNode('server', '2025'), place: { url: older.url }, ...FIXTURE },
    {
      name: 'ts2026',
      label: ofNode('server', '2026'),
      place: { url: newer.url },
      isModernOnly: true,
      ...FIXTURE,
    },
    ...pythonServers(python),
    memory(),
  ];
  return {
    servers,
    async stop() {
      await older.stop();
      await newer.stop();
    },
  };
}

function everything(): ParityServer {
  return {
    name: 'everything',
    label: ofNode('server-everything', '2025'),
    place: placeOf(officialServer('everything')),
    inspected: true,
    calls: [
      ['echo', { message: 'hello' }],
      ['get-sum', { a: 2, b: 40 }],
      ['get-structured-content', { location: 'New York' }],
      ['get-annotated-message', { messageType: 'error', includeImage: true }],
      ['get-tiny-image', {}],
      ['get-resource-links', { count: 3 }],
      ['get-resource-reference', { resourceType: 'Text', resourceId: 2 }],
    ],
    prompts: {
      'simple-prompt': {},
      'args-prompt': { city: 'Ulm', state: 'BW' },
      'completable-prompt': { department: 'Sales', name: 'Eve' },
      'resource-prompt': { resourceType: 'Text', resourceId: '3' },
    },
    expanded: ['demo://resource/dynamic/text/7', 'demo://resource/dynamic/blob/7'],
    completions: [{ prompt: 'completable-prompt', argument: { name: 'department', value: 'S' } }],
  };
}

/** On the SDK for TypeScript, in one era each. */
const FIXTURE = {
  inspected: true,
  calls: [
    ['test_simple_text', {}],
    ['test_image_content', {}],
    ['test_multiple_content_types', {}],
    ['test_error_handling', {}],
  ],
  prompts: {
    test_simple_prompt: {},
    test_prompt_with_arguments: { arg1: 'one', arg2: 'two' },
    test_prompt_with_image: {},
  },
  expanded: ['test://template/7/data'],
  completions: [{ prompt: 'test_prompt_with_arguments', argument: { name: 'arg1', value: 'par' } }],
} as const;

function pythonServers(command: string): ParityServer[] {
  const label = (name: keyof typeof PYTHON) => `${name} ${PYTHON[name]}, Python`;
  return [
    {
      name: 'sdk',
      label: label('mcp'),
      place: { command, args: [fileURLToPath(new URL('server.py', import.meta.url))] },
      inspected: true,
      calls: [['add', { a: 2, b: 40 }]],
      prompts: { greet: { who: 'Eve' } },
      expanded: ['note://by-id/7'],
    },
    {
      name: 'time',
      label: label('mcp-server-time'),
      place: { command, args: ['-m', 'mcp_server_time', '--local-timezone', 'UTC'] },
      calls: [['convert_time', { source_timezone: 'UTC', time: '12:00', target_timezone: 'Asia/Tokyo' }]],
    },
    {
      name: 'git',
      label: label('mcp-server-git'),
      place: { command, args: ['-m', 'mcp_server_git'] },
      calls: [['git_status', { repo_path: '/nonexistent' }]],
    },
    { name: 'fetch', label: label('mcp-server-fetch'), place: { command, args: ['-m', 'mcp_server_fetch'] } },
  ];
}

function memory(): ParityServer {
  return {
    name: 'memory',
    label: ofNode('server-memory', '2025'),
    place: placeOf(officialServer('memory')),
    calls: [['search_nodes', { query: 'nothing has this name' }]],
  };
}

const placeOf = ({ command, args }: ReturnType<typeof officialServer>): Place => ({
  command: command!,
  args: [...args!],
});

function ofNode(name: string, era: string): string {
  const file = new URL(`../../node_modules/@modelcontextprotocol/${name}/package.json`, import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return `${name} ${version}, ${era}`;
}
