import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALL_LIMIT_MS = 300_000;

export interface PythonServer {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** Arguments of Python. */
  readonly args: readonly string[];
  /** A call whose result does not change. */
  readonly call?: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> };
  readonly prompts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** URIs of expanded templates. */
  readonly expanded?: readonly string[];
}

/** The official servers in Python, and one of each kind on the official SDK. */
export const PYTHON_SERVERS: readonly PythonServer[] = [
  {
    name: 'sdk',
    package: 'mcp',
    version: '2.3.0',
    args: [fileURLToPath(new URL('server.py', import.meta.url))],
    call: { tool: 'add', args: { a: 2, b: 40 } },
    prompts: { greet: { who: 'Eve' } },
    expanded: ['note://by-id/7'],
  },
  {
    name: 'time',
    package: 'mcp-server-time',
    version: '2026.10.19',
    args: ['-m', 'mcp_server_time', '--local-timezone', 'UTC'],
    call: {
      tool: 'convert_time',
      args: { source_timezone: 'UTC', time: '12:00', target_timezone: 'Asia/Tokyo' },
    },
  },
  {
    name: 'git',
    package: 'mcp-server-git',
    version: '2026.10.19',
    args: ['-m', 'mcp_server_git'],
    call: { tool: 'git_status', args: { repo_path: '/nonexistent' } },
  },
  { name: 'fetch', package: 'mcp-server-fetch', version: '2026.10.24', args: ['-m', 'mcp_server_fetch'] },
];

/** The path of a Python with all packages in their pinned versions, in a cache. Rejects where Python is not to be had. */
export async function installPython(): Promise<string> {
  const wanted = PYTHON_SERVERS.map((server) => `${server.package}==${server.version}`);
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'mcp-python-servers');
  const folder = join(cache, wanted.join('_').replaceAll(/[^\w.-]/g, '-'));
  const python = join(folder, 'bin', 'python');
  const done = join(folder, 'installed');
  if (existsSync(done)) return python;
  mkdirSync(cache, { recursive: true });
  const options = { timeout: INSTALL_LIMIT_MS };
  await run('python3', ['-m', 'venv', '--clear', folder], options);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...wanted], options);
  mkdirSync(done);
  return python;
}
