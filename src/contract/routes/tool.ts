import { z } from 'zod';
import { type Route, cursor, flag, limit } from './route.ts';
import { CallRequest, CallResult } from '../call.ts';
import {
  JudgedTool,
  ToolDiff,
  VerdictFile,
  VerdictImport,
  LeftOut,
  ScoredTool,
  Suggestions,
} from '../tool.ts';
import { OperationType } from '../operation.ts';
import { ToolRisk } from './tool-risk.ts';
import { SummaryPeriod } from '../activity.ts';

const byName = z.object({ name: z.string() });

export const toolRoutes = {
  listTools: {
    method: 'GET',
    path: '/tools',
    summary: 'List the tools of the catalog, ordered by name',
    query: z.object({
      server: z.string().optional(),
      operation: OperationType.optional(),
      inferred: OperationType.optional().describe('only tools whose inferred operation is this one'),
      unannotated: flag.describe('only tools without hints'),
      changed: flag.describe('only tools that are new or differ from the accepted definition'),
      withheld: flag.describe('only tools that wait for approval'),
      suspicious: flag.describe('only tools with text that looks like an instruction to the model'),
      limit: limit(100, 1000),
      cursor,
    }),
    output: z.object({ tools: z.array(JudgedTool), next_cursor: z.string().nullable(), total: z.number() }),
  },
  toolRisk: {
    method: 'GET',
    path: '/tools/risk',
    summary: 'Compare what tools are held to with what they look like, and how often they are called',
    query: z.object({ period: SummaryPeriod.default('7d') }),
    output: ToolRisk,
  },
  searchTools: {
    method: 'GET',
    path: '/tools/search',
    summary: 'Search tools like retrieve_tools',
    query: z.object({
      q: z.string().min(1).max(2000),
      limit: limit(10, 50),
      server: z.string().optional(),
      operation: OperationType.optional(),
      explain: flag,
    }),
    output: z.object({
      tools: z.array(ScoredTool),
      total: z.number(),
      query: z.string(),
      left_out: LeftOut,
      suggestions: Suggestions.optional(),
    }),
  },
  getTool: {
    method: 'GET',
    path: '/tools/{name}',
    summary: 'Get a tool with its full schema and the inputs of its verdict',
    params: byName,
    output: JudgedTool,
  },
  callTool: {
    method: 'POST',
    path: '/tools/call',
    summary: 'Call a tool; the call passes all policy checks',
    body: CallRequest,
    output: CallResult,
  },
  setOperation: {
    method: 'PUT',
    path: '/tools/{name}/operation',
    summary: 'Set the operator’s verdict on a tool; it overrides hints and inference',
    params: byName,
    body: z.object({ operation: OperationType }),
    output: JudgedTool,
  },
  clearOperation: {
    method: 'DELETE',
    path: '/tools/{name}/operation',
    summary: 'Remove the operator’s verdict',
    params: byName,
    output: JudgedTool,
  },
  approveTool: {
    method: 'POST',
    path: '/tools/{name}/approve',
    summary: 'Accept the current definition of a tool, including weaker hints',
    params: byName,
    query: z.object({
      hash: z
        .string()
        .max(128)
        .optional()
        .describe(
          'definition_hash that was reviewed; the request is rejected if the definition has changed since',
        ),
      keep_operation: flag.describe(
        'also set the previously enforced operation as the operator’s verdict, if it is stricter',
      ),
    }),
    output: JudgedTool,
  },
  rejectTool: {
    method: 'POST',
    path: '/tools/{name}/reject',
    summary:
      'Reject a new or changed tool: agents cannot use it, and it is not listed for review until it changes again',
    params: byName,
    query: z.object({
      hash: z
        .string()
        .max(128)
        .optional()
        .describe(
          'definition_hash that was reviewed; the request is rejected if the definition has changed since',
        ),
    }),
    output: JudgedTool,
  },
  diffTool: {
    method: 'GET',
    path: '/tools/{name}/diff',
    summary: 'Compare a tool with its accepted definition',
    params: byName,
    output: ToolDiff,
  },
  exportVerdicts: {
    method: 'GET',
    path: '/verdicts',
    summary: 'Export the operator’s verdicts on all tools, to import them elsewhere',
    output: VerdictFile,
  },
  importVerdicts: {
    method: 'POST',
    path: '/verdicts',
    summary: 'Import verdicts from a file; verdicts on other tools stay unchanged',
    query: z.object({ dry_run: flag.describe('report what would change, without changing it') }),
    body: VerdictFile,
    output: VerdictImport,
  },
} as const satisfies Record<string, Route>;
