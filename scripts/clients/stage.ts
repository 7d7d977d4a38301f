import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProxy, type RunningProxy } from '../../test/e2e/start-proxy.ts';
import { officialServer } from '../../test/fixtures/start.ts';
import { promptFor, type Script } from './model/decide.ts';

/** The tool whose calls wait for a person at the proxy; the client itself lets them pass, because they read. */
const HELD_TOOL = 'files:list_directory';
export const WRITE_TOOL = 'files:create_directory';
export const DESTRUCTIVE_TOOL = 'files:write_file';
export const GREETING = 'Hello from a file.';
export const ORIGINAL = 'As it was.';
/** The text of the resource that is attached. */
export const NOTE = 'The note says 4711.';
export const OVERWRITTEN = 'Written by the client.';

/** The files behind the proxy: each call leaves a trace that cannot be there otherwise. */
export interface Files {
  readonly folder: string;
  readonly greeting: string;
  readonly created: string;
  readonly overwritten: string;
}

export function makeFiles(base: string): Files {
  const folder = join(base, 'files');
  mkdirSync(folder, { recursive: true });
  const files = {
    folder,
    greeting: join(folder, 'greeting.txt'),
    created: join(folder, 'created'),
    overwritten: join(folder, 'overwritten.txt'),
  };
  writeFileSync(files.greeting, GREETING);
  writeFileSync(files.overwritten, ORIGINAL);
  return files;
}

/** Calls of all operations through the five tools. No step is named by its operation, which a screen is searched for. */
export function callsOn(files: Files): Script {
  const call = (operation: string, name: string, args: object) => ({
    tool: `call_tool_${operation}`,
    args: {
      name,
      args_json: JSON.stringify(args),
      intent_operation_type: operation,
      intent_reason: 'test of this client',
    },
  });
  const read = call('read', 'files:read_text_file', { path: files.greeting });
  return {
    list: { tool: 'retrieve_tools', args: { query: 'read a text file' } },
    read,
    'read-again': read,
    'read-later': read,
    held: call('read', HELD_TOOL, { path: files.folder }),
    sign: call('read', 'desk:sign', {}),
    'read-resource': {
      tool: 'read_mcp_resource',
      args: { server: 'mcpproxy', uri: 'mcpproxy://desk/note:///desk/note.txt' },
    },
    'make-folder': call('write', WRITE_TOOL, { path: files.created }),
    'direct-read': { tool: 'files__read_text_file', args: { path: files.greeting } },
    'direct-make-folder': { tool: 'files__create_directory', args: { path: files.created } },
    'direct-replace-file': {
      tool: 'files__write_file',
      args: { path: files.overwritten, content: OVERWRITTEN },
    },
    'replace-file': call('destructive', DESTRUCTIVE_TOOL, {
      path: files.overwritten,
      content: OVERWRITTEN,
    }),
  };
}

const DESK = fileURLToPath(new URL('desk-server.mjs', import.meta.url));

export interface Stage {
  readonly proxy: () => RunningProxy;
  restart(): Promise<void>;
  /** How many calls of a tool the proxy has on record, whatever their outcome. */
  callsOf(tool: string): Promise<number>;
  /** The same calls, each with its start, duration and outcome. */
  timesOf(tool: string): Promise<string[]>;
  /** Approves what is pending, or only what has waited that long. Returns how many. */
  approve(afterMs?: number): Promise<number>;
  close(): Promise<void>;
}

/** The built proxy with a real file server behind it. A restart keeps its address and its data. */
export async function startStage(files: Files, home: string): Promise<Stage> {
  const port = await freePort();
  const args = ['--listen', `127.0.0.1:${port}`];
  const config = {
    mcpServers: {
      files: officialServer('filesystem', files.folder),
      desk: { command: process.execPath, args: [DESK, promptFor(['read']), NOTE] },
    },
    approvals: { require: [HELD_TOOL], wait: '3s' },
  };
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'mcp_config.json'), JSON.stringify(config));
  let proxy = await startProxy({ home, args });
  const recordsOf = async (tool: string) => {
    const { records } = await proxy.rest.request('listActivity', { type: 'tool_call', limit: 100 });
    return records.filter((record) => `${record.server_name}:${record.tool_name}` === tool);
  };
  return {
    proxy: () => proxy,
    async restart() {
      await proxy.stop();
      proxy = await startProxy({ home, args });
    },
    callsOf: async (tool) => (await recordsOf(tool)).length,
    timesOf: async (tool) =>
      (await recordsOf(tool)).map(
        ({ timestamp, duration_ms, status }) => `${timestamp} ${status} after ${duration_ms} ms`,
      ),
    async approve(afterMs = 0) {
      const { approvals } = await proxy.rest.request('listApprovals', { status: 'pending' });
      const old = approvals.filter(({ created_at }) => Date.now() - Date.parse(created_at) >= afterMs);
      for (const { id } of old)
        await proxy.rest.request('decideApproval', { id, body: { decision: 'approve' } });
      return old.length;
    },
    close: () => proxy.dispose(),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
