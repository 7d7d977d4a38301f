import type { Config } from '../../../contract/config.ts';
import {
  DataSensitivity,
  REASON_MAX_LENGTH,
  OperationType,
  operationOf,
  ToolVariant,
} from '../../../contract/operation.ts';
import type { ToolDefinition } from '../../../contract/tool.ts';

const PURPOSE: Record<ToolVariant, string> = {
  call_tool_read: 'Run a read-only tool found with retrieve_tools: it queries data and changes nothing.',
  call_tool_write: 'Run a state-modifying tool found with retrieve_tools: it creates or updates something.',
  call_tool_destructive:
    'Run a destructive tool found with retrieve_tools: it deletes something or cannot be undone.',
};

const REFUSED: Record<ToolVariant, string> = {
  call_tool_read: 'Refused if the server marks the tool destructive or not read-only.',
  call_tool_write: 'Refused if the server marks the tool destructive.',
  call_tool_destructive: 'Allowed regardless of annotations; use it only where it is needed.',
};

const HINTS: Record<ToolVariant, Record<string, boolean>> = {
  call_tool_read: { readOnlyHint: true, destructiveHint: false, openWorldHint: true },
  call_tool_write: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  call_tool_destructive: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
};

/** Claude Code and Qwen Code hide tools behind their own search unless a tool has this. */
const _meta = { 'anthropic/alwaysLoad': true };

/**
 * The proxy's own tools, in the order that clients show. The texts are short, as they are in every agent's context. `client`: the client
 * program, as it names itself.
 */
export function listProxyTools(
  config: Pick<Config, 'intent_declaration' | 'tools'>,
  client?: string,
): ToolDefinition[] {
  const intent = intentShapeFor(client);
  const mode = config.intent_declaration.operation_type;
  const callTools = ToolVariant.options.map((variant) => callTool(variant, mode, intent));
  return [retrieveTools(config.tools, mode), describeTool(), ...callTools].map((tool) => ({
    ...tool,
    _meta,
  }));
}

function retrieveTools({ limit, detail }: Config['tools'], mode: Mode): ToolDefinition {
  return {
    name: 'retrieve_tools',
    title: 'Find tools',
    description: `Search for tools across all upstream servers. Ask for one need per query ("create a GitHub issue"); search again for the next step. Results include annotations (readOnlyHint, destructiveHint) and the recommended variant (call_with). ${variantsText(mode)}`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What you want to do, in a few words' },
        kind: {
          type: 'string',
          enum: ['tool', 'prompt', 'resource'],
          default: 'tool',
          description: 'What to find',
        },
        limit: { type: 'integer', minimum: 1, maximum: 50, default: limit },
        detail: {
          type: 'string',
          enum: ['full', 'compact'],
          default: detail,
          description: 'compact: one line per tool; describe_tool returns the schema',
        },
        server: { type: 'string', description: 'Only this server' },
        operation: { type: 'string', enum: OperationType.options, description: 'Only tools of this kind' },
        explain: { type: 'boolean', description: 'Say why each tool ranks where it does' },
      },
      required: ['query'],
    },
    annotations: { title: 'Find tools', readOnlyHint: true, openWorldHint: false },
  };
}

/** The three variants, for the description of the search and for its results. */
export function variantsText(mode: Mode): string {
  const variants =
    'Use call_tool_read for read-only operations, call_tool_write for modifications, call_tool_destructive for deletions.';
  return mode === 'required' ? `${variants} Intent must match the tool variant.` : variants;
}

function describeTool(): ToolDefinition {
  return {
    name: 'describe_tool',
    title: 'Describe tools',
    description:
      'Full description and input schema of tools whose names you know, with the variant to call them by.',
    inputSchema: {
      type: 'object',
      properties: {
        names: {
          type: 'array',
          items: { type: 'string' },
          minItems: 1,
          maxItems: 20,
          description: 'server:tool',
        },
      },
      required: ['names'],
    },
    annotations: { title: 'Describe tools', readOnlyHint: true, openWorldHint: false },
  };
}

type Mode = Config['intent_declaration']['operation_type'];

/** Both shapes of the intent are accepted from every client; only one of them is advertised. */
function callTool(variant: ToolVariant, mode: Mode, intent: IntentShape): ToolDefinition {
  const operation = operationOf(variant);
  const { properties, required, operationField } =
    intent === 'nested' ? nestedIntent(operation, mode) : flatIntent(operation, mode);
  const needs = mode === 'required' ? [`Requires ${operationField}='${operation}'.`] : [];
  const title = `Call a tool (${operation})`;
  return {
    name: variant,
    title,
    description: [PURPOSE[variant], ...needs, REFUSED[variant]].join(' '),
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'server:tool, as retrieve_tools gives it' },
        args_json: { type: 'string', description: "The tool's arguments: a JSON object as text" },
        ...properties,
      },
      required: ['name', ...required],
    },
    annotations: { title, ...HINTS[variant] },
    // A client of 2025-11-25 may let any call run in the background.
    execution: { taskSupport: 'optional' },
  };
}

interface IntentSchema {
  properties: Record<string, unknown>;
  required: string[];
  /** How the operation is declared. */
  operationField: string;
}

/** Where the variant says it all, the operation is not asked for. */
function intentFields(operation: OperationType, mode: Mode) {
  return {
    ...(mode === 'required' && {
      operation_type: { type: 'string', enum: [operation], description: 'Must match this variant' },
    }),
    data_sensitivity: { type: 'string', enum: DataSensitivity.options },
    reason: { type: 'string', maxLength: REASON_MAX_LENGTH, description: 'Why, for the activity log' },
  };
}

/** For most clients: some models cannot fill nested objects. */
function flatIntent(operation: OperationType, mode: Mode): IntentSchema {
  const fields = Object.entries(intentFields(operation, mode));
  const operationField = 'intent_operation_type';
  return {
    properties: Object.fromEntries(fields.map(([key, schema]) => [`intent_${key}`, schema])),
    required: mode === 'required' ? [operationField] : [],
    operationField,
  };
}

function nestedIntent(operation: OperationType, mode: Mode): IntentSchema {
  const isRequired = mode === 'required';
  const properties = intentFields(operation, mode);
  const intent = { type: 'object', properties, ...(isRequired && { required: ['operation_type'] }) };
  return {
    properties: { intent },
    required: isRequired ? ['intent'] : [],
    operationField: 'intent.operation_type',
  };
}

/** How the intent is advertised in tools/list: as parameters `intent_…`, or as one object `intent`. */
type IntentShape = 'flat' | 'nested';

/**
 * Codex shows the person who approves a call its first three arguments in alphabetical order. With flat parameters these are `args_json`
 * and two of the intent, without the name of the tool; with one object they are `args_json`, `intent` and `name`.
 */
const SHOWS_THREE_ARGUMENTS = /^codex-mcp-client(\/|$)/;

/** `client`: the program as it names itself, with or without its version. */
function intentShapeFor(client: string | undefined): IntentShape {
  return client !== undefined && SHOWS_THREE_ARGUMENTS.test(client) ? 'nested' : 'flat';
}
