import { once } from 'node:events';
import {
  InMemoryTransport,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import type { AnyDatabase } from '../db/index.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { createTaskStore } from './task-store.ts';
import { TASK_TOOLS, type TaskAnswer, type TaskTool } from './tools.ts';

interface TasksParts {
  db: Pick<AnyDatabase, 'kysely'>;
  clock?: Clock;
}

/** The built-in MCP server: a to-do list, so that a new installation has tools to find, call, refuse and record. */
function createTasksServer({ db, clock = systemClock }: TasksParts): Server {
  const store = createTaskStore({ db, clock });
  const server = new Server({ name: 'mcpproxy-tasks', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: LISTED }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = TASK_TOOLS.get(params.name);
    if (!tool)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name.slice(0, 100)}`);
    const input = tool.input.safeParse(params.arguments ?? {});
    return toResult(input.success ? await tool.run(store, input.data) : { error: firstProblem(input.error) });
  });
  return server;
}

/**
 * The client side of a connection to a tasks server in this process; closing it closes the server. serveStdio accepts any transport and
 * lets the first message choose the protocol era, so both eras are served here too.
 */
export function createTasksTransport(parts: TasksParts): Transport {
  const [client, server] = InMemoryTransport.createLinkedPair();
  serveStdio(() => createTasksServer(parts), { transport: server });
  return client;
}

/** Serves tasks alone, over stdin and stdout of this process. Resolves when the client has disconnected. */
export async function runTasksStdio({ log, ...parts }: TasksParts & { log?: Log }): Promise<void> {
  const gone = Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close')]);
  const handle = serveStdio(() => createTasksServer(parts), {
    onerror: (error) => log?.warn({ err: error }, 'the client sent an invalid MCP message'),
  });
  await gone;
  await handle.close();
}

const LISTED: Tool[] = [...TASK_TOOLS].map(([name, tool]) => listed(name, tool));

function listed(name: string, { title, description, annotations, input, output }: TaskTool): Tool {
  return {
    name,
    title,
    description,
    inputSchema: jsonSchema(input, 'input'),
    outputSchema: jsonSchema(output, 'output'),
    annotations,
  };
}

function jsonSchema(schema: z.ZodObject, io: 'input' | 'output'): Tool['inputSchema'] {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return json as Tool['inputSchema'];
}

function toResult(answer: TaskAnswer): CallToolResult {
  if ('error' in answer) return { isError: true, content: [{ type: 'text', text: answer.error }] };
  return { content: [{ type: 'text', text: answer.text }], structuredContent: answer.value };
}

/** The first problem of the input, as one sentence. */
function firstProblem({ issues }: z.ZodError): string {
  const issue = issues[0]!;
  if (issue.code === 'unrecognized_keys')
    return `unknown parameter ${issue.keys
      .slice(0, 3)
      .map((key) => JSON.stringify(key.slice(0, 60)))
      .join(', ')}`;
  const field = issue.path.join('.');
  return field && !issue.message.startsWith(field) ? `${field}: ${issue.message}` : issue.message;
}
