import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type Tool,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { AnyDatabase } from '../db/index.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import { createTaskStore } from './task-store.ts';
import { TASK_TOOLS, type Answer, type TaskTool } from './tools.ts';

export interface TasksParts {
  db: Pick<AnyDatabase, 'kysely'>;
  clock?: Clock;
}

/** The built-in MCP server: a to-do list of its own, so that a fresh start has something real to find, call, refuse and record. */
export function createTasksServer({ db, clock = systemClock }: TasksParts): Server {
  const store = createTaskStore({ db, clock });
  const server = new Server({ name: 'mcpproxy-tasks', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: LISTED }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = TASK_TOOLS.get(params.name);
    if (!tool)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name.slice(0, 100)}`);
    const input = tool.input.safeParse(params.arguments ?? {});
    return toResult(input.success ? await tool.run(store, input.data) : { error: complaint(input.error) });
  });
  return server;
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

function toResult(answer: Answer): CallToolResult {
  if ('error' in answer) return { isError: true, content: [{ type: 'text', text: answer.error }] };
  return { content: [{ type: 'text', text: answer.text }], structuredContent: answer.value };
}

/** One sentence for the first thing that is wrong. */
function complaint({ issues }: z.ZodError): string {
  const issue = issues[0]!;
  if (issue.code === 'unrecognized_keys')
    return `unknown parameter ${issue.keys
      .slice(0, 3)
      .map((key) => JSON.stringify(key.slice(0, 60)))
      .join(', ')}`;
  const field = issue.path.join('.');
  return field && !issue.message.startsWith(field) ? `${field}: ${issue.message}` : issue.message;
}
