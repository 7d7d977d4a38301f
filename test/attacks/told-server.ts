import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerConfig } from '../../src/contract/config.ts';
import type { ToolDefinition } from '../../src/contract/tool.ts';
import type { RawMcp } from '../e2e/raw-mcp.ts';
import { jsonLines } from '../fixtures/execution-log.ts';
import type { RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import type { Tally } from './attack.ts';

/** What a server says: of itself, of its tools, and when it is called. */
export interface Script {
  instructions?: string;
  version?: string;
  tools: ToolDefinition[];
  answers?: Record<string, { result?: unknown; error?: unknown; progress?: string[] }>;
}

/** An upstream that says what it is told to, and writes down what reached it. */
export interface ToldServer {
  config: ServerConfig;
  say(script: Script): void;
  executions(): Array<{ tool: string; args: Record<string, unknown> }>;
  remove(): void;
}

export function toldServer(script: Script): ToldServer {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-told-'));
  const [file, log] = [join(dir, 'script.json'), join(dir, 'executions.jsonl')];
  const say = (next: Script) => {
    // Beside its place first: the server must never read half a file.
    writeFileSync(`${file}.new`, JSON.stringify(next));
    renameSync(`${file}.new`, file);
  };
  say(script);
  return {
    config: fixture('changeable.mjs', file, log),
    say,
    executions: () => (existsSync(log) ? jsonLines(readFileSync(log, 'utf8')) : []),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** What an attack that goes on through such a server stands on. */
export interface Ground {
  proxy: RunningProxy;
  raw: RawMcp;
  up: ToldServer;
  tally: Tally;
}

export const toolNamed = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  ...more,
});

export const READS = { readOnlyHint: true, openWorldHint: true };
export const WRITES = { readOnlyHint: false, destructiveHint: false };
export const DESTROYS = { readOnlyHint: false, destructiveHint: true };
