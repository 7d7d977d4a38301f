import { Client, StreamableHTTPClientTransport, type ElicitResult } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ActivityRecord } from '../../src/contract/activity.ts';
import type { CallResult } from '../../src/contract/call.ts';
import type { Approval, ApprovalStatus, DecisionBody } from '../../src/contract/approval.ts';
import { openExecutionLog } from '../fixtures/execution-log.ts';
import { bridgeTransport } from './mcp-clients.ts';
import { runHere } from './cli-here.ts';
import type { CliResult } from './run-cli.ts';
import { mentions } from './stage.ts';
import { startHere } from './start-here.ts';
import { poll, type RunningProxy } from './start-proxy.ts';

/** The three ways in which a call that waits is told to a client, and the older client library. */
export const WAYS = ['input_required', 'elicitation', 'elicitation (SDK 1.x)', 'pending result'] as const;
/** The same over pipes, passed on to the running proxy. */
export const PIPED_WAYS = ['input_required by stdio', 'elicitation by stdio'] as const;
export type Way = (typeof WAYS)[number] | (typeof PIPED_WAYS)[number];

interface CallMore {
  tool?: string;
  signal?: AbortSignal;
  /** Instead of the mark. */
  args?: Record<string, unknown>;
}

export interface HeldClient {
  /** A destructive call of the upstream; the mark goes into its arguments. */
  call(mark: string, more?: CallMore): Promise<CallResult>;
  /** What the client was asked to show, and what it shall answer. */
  dialogs: string[];
  answer: (message: string) => ElicitResult | Promise<ElicitResult>;
  close(): Promise<void>;
}

export interface ApprovalStage {
  proxy: RunningProxy;
  executions(mark: string): number;
  /** The arguments of all that ran. */
  executed(): unknown[];
  client(way: Way, options?: { name?: string; key?: string }): Promise<HeldClient>;
  /** A token of an agent. */
  token(name: string): Promise<string>;
  /** The approval whose arguments carry the mark. */
  approvalOf(mark: string, status?: ApprovalStatus): Promise<Approval>;
  decide(id: string, body: DecisionBody): Promise<Approval>;
  settings(approvals: Record<string, unknown>): Promise<void>;
  recordsOf(mark: string): Promise<ActivityRecord[]>;
  cli(...args: string[]): Promise<CliResult>;
  restart(signal?: NodeJS.Signals): Promise<void>;
  dispose(): Promise<void>;
}

export async function openApprovalStage(
  approvals: Record<string, unknown>,
  start = startHere,
): Promise<ApprovalStage> {
  const log = openExecutionLog();
  const clients: HeldClient[] = [];
  const tokens = new Map<string, Promise<string>>();
  const stage: ApprovalStage = {
    proxy: await start({ config: { quarantine: 'warn', mcpServers: { up: log.server() }, approvals } }),
    executions: log.runsOf,
    executed: () => log.executions().map(({ args }) => args),
    async client(way, options = {}) {
      const key = options.key ?? (await stage.token('agent'));
      const client = await connect(way, { url: stage.proxy.url, key, name: options.name ?? 'e2e' });
      clients.push(client);
      return client;
    },
    token(name) {
      const made =
        tokens.get(name) ??
        stage.proxy.rest.request('createToken', { body: { name } }).then(({ token }) => token);
      tokens.set(name, made);
      return made;
    },
    approvalOf: (mark, status) =>
      poll(`an approval for ${mark}`, stage.proxy.stderr, async () => {
        const { approvals: all } = await stage.proxy.rest.request('listApprovals', { limit: 200 });
        return all.find(
          (each) => mentions(each.arguments, mark) && (status === undefined || each.status === status),
        );
      }),
    decide: (id, body) => stage.proxy.rest.request('decideApproval', { id, body }),
    async settings(more) {
      await stage.proxy.rest.request('updateConfig', { body: { approvals: more } });
    },
    async recordsOf(mark) {
      const { records } = await stage.proxy.rest.request('listActivity', { type: 'tool_call', limit: 100 });
      return records.filter(({ arguments: args }) => mentions(args, mark));
    },
    cli: (...args) => runHere([...args, ...stage.proxy.place]),
    async restart(signal) {
      for (const client of clients.splice(0)) await client.close();
      await stage.proxy.stop(signal);
      stage.proxy = await start({ home: stage.proxy.home });
    },
    async dispose() {
      for (const client of clients) await client.close();
      await stage.proxy.dispose();
      log.remove();
    },
  };
  return stage;
}

interface Connect {
  url: string;
  key: string;
  name: string;
}

async function connect(way: Way, { url, key, name }: Connect): Promise<HeldClient> {
  const endpoint = new URL('/mcp', url);
  const options = { requestInit: { headers: { authorization: `Bearer ${key}` } } };
  const face: Pick<HeldClient, 'dialogs' | 'answer'> = {
    dialogs: [],
    answer: () => new Promise<ElicitResult>(() => {}),
  };
  const show = (message: string) => {
    face.dialogs.push(message);
    return face.answer(message);
  };
  const info = { name, version: '1.0.0' };
  const capabilities = way === 'pending result' ? {} : { elicitation: { form: {} } };
  let client: Client | ClientV1;
  if (way === 'elicitation (SDK 1.x)') {
    const v1 = new ClientV1(info, { capabilities });
    v1.setRequestHandler(ElicitRequestSchema, async ({ params }) => show(params.message));
    await v1.connect(new TransportV1(endpoint, options));
    client = v1;
  } else {
    const mode = way.startsWith('input_required') ? { pin: '2026-07-28' } : ('legacy' as const);
    const v2 = new Client(info, { capabilities, versionNegotiation: { mode } });
    if (way !== 'pending result')
      v2.setRequestHandler('elicitation/create', async ({ params }) => show(params.message));
    await v2.connect(
      way.endsWith('by stdio')
        ? bridgeTransport(url, key)
        : new StreamableHTTPClientTransport(endpoint, options),
    );
    client = v2;
  }
  return Object.assign(face, {
    async call(mark: string, { tool = 'destructive', signal, args: given }: CallMore = {}) {
      const args = {
        name: `up:${tool}`,
        args: given ?? { text: mark },
        intent_operation_type: 'destructive',
      };
      const request = { name: 'call_tool_destructive', arguments: args };
      const timing = { timeout: 280_000, ...(signal && { signal }) };
      const called =
        client instanceof ClientV1
          ? client.callTool(request, undefined, timing)
          : client.callTool(request, timing);
      return (await called) as CallResult;
    },
    close: () => client.close(),
  });
}

/** The machine-readable part of a refusal. */
export function errorOf(result: CallResult): {
  code: string;
  message: string;
  details: Record<string, unknown>;
} {
  return (
    result.structuredContent as { error: { code: string; message: string; details: Record<string, unknown> } }
  ).error;
}
