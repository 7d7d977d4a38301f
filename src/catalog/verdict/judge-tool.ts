import type { Config } from '../../contract/config.ts';
import type { ToolDefinition } from '../../contract/tool.ts';
import type { CatalogTool } from '../catalog-tool.ts';
import type { Inference } from './inference.ts';
import type { KnownTool } from '../known/known-tool.ts';
import { isRejected, isVouchedFor, isWithheld, standingOf } from '../known/learn-tool.ts';
import type { Scan } from '../../scanner/index.ts';
import { serverIdentity } from '../known/server-identity.ts';
import { decideVerdict } from './verdict.ts';

export type CatalogConfig = Pick<Config, 'intent_declaration' | 'mcpServers' | 'quarantine' | 'scanner'>;

export interface ToolFacts {
  server: string;
  builtin: boolean;
  definition: ToolDefinition;
  inferred: Inference;
  scan: Scan;
  known: KnownTool;
  introduction?: string | undefined;
}

/** All that is known of a tool, put together: the configuration's word first, then the operator's stored one, then the hints. */
export function judgeTool(
  { server, builtin, definition, inferred, scan, known, introduction }: ToolFacts,
  config: CatalogConfig,
): CatalogTool {
  const override = overrideOf(config, server, definition.name);
  const operator = operatorOf({ server, definition, known }, config);
  const verdict = decideVerdict({
    hints: definition.annotations,
    heldHints: known.held,
    inferred,
    ...(operator && { operator }),
    mode: config.intent_declaration.unannotated,
  });
  const enabled = override?.enabled !== false;
  // What is part of the program changes only with the program.
  const identity = serverIdentity(config, server, introduction);
  const standing = builtin ? 'accepted' : standingOf(known, identity, config.quarantine);
  const suspicious = config.scanner !== 'off' && scan.suspicious;
  const doubtful = scan.suspicious || scan.pending === true;
  const feared = doubtful && config.scanner === 'quarantine' && !isVouchedFor(known);
  const unremembered = known.unremembered === true;
  const rejected = !builtin && isRejected(known);
  const withheld = feared || unremembered || rejected || isWithheld(standing, config.quarantine);
  return {
    name: `${server}:${definition.name}`,
    server,
    tool: definition.name,
    builtin,
    enabled,
    standing,
    withheld,
    rejected,
    suspicious,
    offered: enabled && !withheld,
    definition,
    operation: verdict.view,
    constraint: verdict.constraint,
    callWith: verdict.callWith,
  };
}

/** Names come from upstreams, so `constructor` must not find a member of Object. */
export function overrideOf({ mcpServers }: Pick<Config, 'mcpServers'>, server: string, tool: string) {
  const tools = Object.hasOwn(mcpServers, server) ? mcpServers[server]?.tools : undefined;
  return tools && Object.hasOwn(tools, tool) ? tools[tool] : undefined;
}

/** The configuration's word, or the operator's stored one. */
export function operatorOf(
  { server, definition, known }: Pick<ToolFacts, 'server' | 'definition' | 'known'>,
  config: CatalogConfig,
) {
  const operation = overrideOf(config, server, definition.name)?.operation;
  return operation ? { operation, reason: 'set in the configuration' } : storedOperator(known);
}

function storedOperator({ operator }: KnownTool) {
  return operator && { operation: operator.operation, reason: `set by ${operator.by} at ${operator.at}` };
}
