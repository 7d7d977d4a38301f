import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActivityRecord } from '../../src/contract/activity.ts';
import type { CallResult } from '../../src/contract/call.ts';
import type { ServerConfig } from '../../src/contract/config.ts';
import type { OperationType, ToolVariant } from '../../src/contract/operation.ts';
import { openExecutionLog, type Execution } from '../fixtures/execution-log.ts';
import { connectClient, type ClientKind, type TestClient } from './mcp-clients.ts';
import { runHere } from './cli-here.ts';
import type { CliResult } from './run-cli.ts';
import { startHere } from './start-here.ts';
import { poll, type RunningProxy } from './start-proxy.ts';

interface StageOptions {
  /** The part of the configuration that is tried out. */
  intent?: Record<string, unknown>;
  /** More tools of the counting server, or other hints of those it has. */
  hints?: Record<string, unknown>;
  overrides?: ServerConfig['tools'];
  /** `startProxy` where the process itself is killed. */
  start?: typeof startHere;
}

/** A running proxy with one upstream, `up`, that writes down every execution. */
export interface Stage {
  proxy: RunningProxy;
  /** What the upstream has executed so far, in its own words. */
  executions(): Execution[];
  client(kind: ClientKind): Promise<TestClient>;
  /** The command line of the same installation. */
  cli(...args: string[]): Promise<CliResult>;
  /** Changes `intent_declaration` in the file of the running proxy, and waits until it is applied. */
  setIntent(values: Record<string, unknown>): Promise<void>;
  /** Stops the proxy and starts it again on the same files. */
  restart(signal?: NodeJS.Signals): Promise<void>;
  dispose(): Promise<void>;
}

export async function openStage({
  intent = {},
  hints = {},
  overrides,
  start = startHere,
}: StageOptions = {}): Promise<Stage> {
  const log = openExecutionLog();
  const hintsFile = join(log.dir, 'hints.json');
  writeFileSync(hintsFile, JSON.stringify(hints));
  const up = {
    ...log.server('--hints', hintsFile),
    ...(overrides && { tools: overrides }),
  };
  // A tool that weakens its hints stays callable, so that the hints that are held can be tried out.
  const config = { intent_declaration: intent, quarantine: 'warn', mcpServers: { up } };
  const clients = new Map<ClientKind, Promise<TestClient>>();

  async function closeClients(): Promise<void> {
    for (const client of clients.values()) await (await client).close();
    clients.clear();
  }

  const stage: Stage = {
    proxy: await start({ config }),
    executions: log.executions,
    client(kind) {
      const client = clients.get(kind) ?? connectClient(kind, stage.proxy);
      clients.set(kind, client);
      return client;
    },
    cli: (...args) => runHere([...args, ...stage.proxy.place]),
    async setIntent(values) {
      const { configFile, rest, stderr } = stage.proxy;
      const config = JSON.parse(readFileSync(configFile, 'utf8')) as { intent_declaration: object };
      const wanted = { ...config.intent_declaration, ...values };
      writeFileSync(configFile, JSON.stringify({ ...config, intent_declaration: wanted }));
      await poll('the new configuration', stderr, async () => {
        const now: Record<string, unknown> = (await rest.request('status', {})).intent_declaration;
        return Object.entries(wanted).every(([key, value]) => now[key] === value) || undefined;
      });
    },
    async restart(signal) {
      await closeClients();
      await stage.proxy.stop(signal);
      stage.proxy = await start({ home: stage.proxy.home });
    },
    async dispose() {
      await closeClients();
      await stage.proxy.dispose();
      log.remove();
    },
  };
  return stage;
}

/** One call to make. The mark goes into its arguments, so that execution and record can be told from all others. */
export interface Row {
  client: ClientKind;
  variant: ToolVariant;
  input: (mark: string) => Record<string, unknown>;
}

export interface Attempt {
  mark: string;
  variant: ToolVariant;
  result: CallResult;
  /** How often the upstream ran it. */
  executions: number;
  records: ActivityRecord[];
}

const AT_ONCE = 16;
let marks = 0;

/** Makes all the calls, many at once, and then looks up what became of each. */
export async function attemptAll(stage: Stage, rows: Row[]): Promise<Attempt[]> {
  const before = stage.executions().length;
  const attempts: Attempt[] = [];
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    attempts.push(...(await Promise.all(rows.slice(from, from + AT_ONCE).map((row) => send(stage, row)))));
  }
  const executed = stage.executions();
  const records = await recordsOf(stage, rows.length);
  for (const attempt of attempts) {
    attempt.executions = executed.filter(({ args }) => mentions(args, attempt.mark)).length;
    attempt.records = records.filter((record) => mentions(record.arguments, attempt.mark));
  }
  const accounted = attempts.reduce((sum, { executions }) => sum + executions, 0);
  if (executed.length - before !== accounted)
    throw new Error('the upstream ran something that nobody asked for');
  return attempts;
}

export async function attempt(stage: Stage, row: Row): Promise<Attempt> {
  return (await attemptAll(stage, [row]))[0]!;
}

/** A well-formed call of a tool of the upstream. */
export function plainRow(client: ClientKind, operation: OperationType, tool: string): Row {
  return {
    client,
    variant: `call_tool_${operation}`,
    input: (mark) => ({ name: `up:${tool}`, args: { text: mark }, intent_operation_type: operation }),
  };
}

async function send(stage: Stage, { client, variant, input }: Row): Promise<Attempt> {
  const mark = `<mark ${marks++}>`;
  const result = await (await stage.client(client)).call(variant, input(mark));
  return { mark, variant, result, executions: 0, records: [] };
}

async function recordsOf({ proxy }: Stage, atLeast: number): Promise<ActivityRecord[]> {
  const records: ActivityRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await proxy.rest.request('listActivity', { type: 'tool_call', limit: 100, cursor });
    records.push(...page.records);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && records.length < 2 * atLeast + 100);
  return records;
}

export function mentions(value: unknown, mark: string): boolean {
  return JSON.stringify(value ?? null).includes(mark);
}
