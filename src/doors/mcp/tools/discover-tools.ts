import { z } from 'zod';
import { audienceOf, isOutOfScope } from '../../../road/index.ts';
import { compactTool, type Audience, type CatalogTool, type Items } from '../../../catalog/index.ts';
import type { Caller } from '../../../contract/call.ts';
import type { ItemKind } from '../../../contract/item.ts';
import type { Config } from '../../../contract/config.ts';
import { ProxyError } from '../../../contract/errors.ts';
import { issueText } from '../../../contract/issue-text.ts';
import { OperationType } from '../../../contract/operation.ts';
import { findItems, type FoundItems } from '../items/find-items.ts';
import { variantsText } from './tool-list.ts';
import type { CompactTool, LeftOut, ScoredTool, Suggestions, ToolEntry } from '../../../contract/tool.ts';

export interface DiscoveryParts {
  /** Absent: servers offer tools only. */
  items?: Pick<Items, ItemKind>;
  config: () => Pick<Config, 'tools' | 'intent_declaration'>;
  catalog: {
    search(query: {
      query: string;
      limit: number;
      server?: string;
      operation?: OperationType;
      explain?: boolean;
      audience?: Audience;
    }): {
      tools: ScoredTool[];
      total: number;
      left_out: LeftOut;
      suggestions?: Suggestions;
    };
    get(name: string): CatalogTool | undefined;
    entry(tool: CatalogTool): ToolEntry;
    nearest(name: string, audience?: Audience): string[];
  };
}

const RetrieveInput = z.object({
  query: z.string().min(1).max(2000),
  kind: z.enum(['tool', 'prompt', 'resource']).optional(),
  limit: z.number().int().min(1).max(50).optional(),
  detail: z.enum(['full', 'compact']).optional(),
  server: z.string().optional(),
  operation: OperationType.optional(),
  explain: z.boolean().optional(),
});
const DescribeInput = z.object({ names: z.array(z.string().max(512)).min(1).max(20) });

const COMPACT = 'describe_tool returns full schemas.';

/** What to do with the tools of an answer. */
function usageOf({
  intent_declaration: { operation_type: mode },
}: Pick<Config, 'intent_declaration'>): string {
  return `${variantsText(mode)} call_with says which one, for each tool.`;
}

export interface Retrieved {
  tools: Array<ScoredTool | CompactTool>;
  usage_instructions: string;
  total: number;
  left_out: LeftOut;
  suggestions?: Suggestions;
  query: string;
}

/** Results depend on the scope of the caller's token. */
type Asker = Pick<Caller, 'token'>;

export function retrieveTools(
  { config, catalog }: DiscoveryParts,
  input: unknown,
  { token }: Asker,
): Retrieved {
  const audience = audienceOf(token);
  const { query, detail, limit, server, operation, explain } = parse(RetrieveInput, input);
  const settings = config();
  const { tools, total, left_out, suggestions } = catalog.search({
    query,
    limit: limit ?? settings.tools.limit,
    ...(server && { server }),
    ...(operation && { operation }),
    ...(explain && { explain }),
    ...(audience && { audience }),
  });
  const compact = (detail ?? settings.tools.detail) === 'compact';
  const usage = usageOf(settings);
  return {
    tools: compact ? tools.map(compactTool) : tools,
    usage_instructions: compact ? `${usage} ${COMPACT}` : usage,
    total,
    left_out,
    ...(suggestions && { suggestions }),
    query,
  };
}

/** The same for prompts and resources; undefined: tools are asked for. */
export function retrieveItems(
  { config, items }: DiscoveryParts,
  input: unknown,
  { token }: Asker,
): FoundItems | undefined {
  const { kind, query, limit = config().tools.limit, server } = parse(RetrieveInput, input);
  if (kind === undefined || kind === 'tool') return undefined;
  return findItems(items, kind, { query, limit, server, audience: audienceOf(token) });
}

export interface Described {
  tools: ToolEntry[];
  not_found: Array<{ name: string; nearest: string[]; withheld?: true; out_of_scope?: true }>;
  usage_instructions: string;
}

export function describeTools(
  { config, catalog }: DiscoveryParts,
  input: unknown,
  { token }: Asker,
): Described {
  const audience = audienceOf(token);
  const tools: ToolEntry[] = [];
  const missing: Described['not_found'] = [];
  for (const name of new Set(parse(DescribeInput, input).names)) {
    const tool = catalog.get(name);
    const foreign = isOutOfScope(token, name, tool);
    if (tool?.offered && !foreign) tools.push(catalog.entry(tool));
    else {
      missing.push({
        name,
        nearest: catalog.nearest(name, audience),
        ...(tool?.withheld && !foreign && { withheld: true }),
        ...(foreign && { out_of_scope: true }),
      });
    }
  }
  return { tools, not_found: missing, usage_instructions: usageOf(config()) };
}

function parse<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input ?? {});
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const field = issue.path.join('.') || 'arguments';
  throw new ProxyError('INVALID_ARGUMENTS', `${field}: ${issueText(issue, schema)}`, { field });
}
