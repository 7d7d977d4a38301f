import type { Config } from '../../contract/config.ts';
import type { ToolDefinition, ToolStanding } from '../../contract/tool.ts';
import type { CatalogTool } from '../catalog-tool.ts';
import type { Inference } from './inference.ts';
import type { KnownTool } from '../known/known-tool.ts';
import { isRejected, isAcceptedByPerson, isWithheld, standingOf } from '../known/learn-tool.ts';
import { distrustOf } from '../known/known-tools-row.ts';
import type { ChangeRisk } from '../risk/change-risk.ts';
import { risksOf } from '../risk/withhold-risky.ts';
import type { Scan } from '../../scanner/index.ts';
import { serverIdentity } from '../known/server-identity.ts';
import { decideVerdict } from './verdict.ts';

export interface CatalogConfig extends Pick<
  Config,
  'intent_declaration' | 'mcpServers' | 'quarantine' | 'scanner'
> {
  /** Whether all that the server offers is withheld. */
  isUnaccepted?: (server: string) => boolean;
}

export interface ToolFacts {
  server: string;
  builtin: boolean;
  definition: ToolDefinition;
  inferred: Inference;
  scan: Scan;
  known: KnownTool;
  introduction?: string | undefined;
  /** What search reads of the server's introduction. */
  about?: string | undefined;
  /** How a changed definition differs from the accepted one; only with `quarantine: "risky"`. */
  risk?: ChangeRisk | undefined;
}

/** Judges a tool. The operation comes from the configuration, else from the operator's stored verdict, else from the hints. */
export function judgeTool(facts: ToolFacts, config: CatalogConfig): CatalogTool {
  const { server, builtin, definition, inferred, scan, known, introduction } = facts;
  const override = overrideOf(config, server, definition.name);
  const operator = operatorOf(facts, config);
  const verdict = decideVerdict({
    hints: definition.annotations,
    heldHints: known.held,
    inferred,
    ...(operator && { operator }),
    mode: config.intent_declaration.unannotated,
  });
  const enabled = override?.enabled !== false;
  const identity = serverIdentity(config, server, introduction);
  const standing = builtin ? 'accepted' : standingOf(known, identity, config.quarantine);
  const rejected = !builtin && isRejected(known);
  const withheld =
    rejected ||
    (!builtin && distrustOf(known) !== undefined) ||
    isWithheldForText(facts, config) ||
    isUnknown(facts, config) ||
    isInQuarantine(facts, { standing, identity }, config);
  return {
    name: `${server}:${definition.name}`,
    server,
    tool: definition.name,
    builtin,
    enabled,
    standing,
    withheld,
    rejected,
    suspicious: config.scanner !== 'off' && scan.suspicious,
    offered: enabled && !withheld,
    definition,
    operation: verdict.view,
    constraint: verdict.constraint,
    callWith: verdict.callWith,
  };
}

function isInQuarantine(
  facts: ToolFacts,
  { standing, identity }: { standing: ToolStanding; identity: string },
  config: CatalogConfig,
): boolean {
  const { quarantine } = config;
  if (quarantine !== 'risky') return isWithheld(standing, quarantine);
  return standing !== 'accepted' && risksOf(facts, identity, config).length > 0;
}

/** What the setting `quarantine: "risky"` has against a tool, in words; absent where there is nothing. */
export function risksNow(facts: ToolFacts, config: CatalogConfig): string[] {
  const { server, builtin, known, introduction } = facts;
  if (builtin || config.quarantine !== 'risky') return [];
  const identity = serverIdentity(config, server, introduction);
  return standingOf(known, identity, 'risky') === 'accepted' ? [] : risksOf(facts, identity, config);
}

/** What could not be remembered, or comes from a server that nobody has accepted. */
function isUnknown({ server, known }: ToolFacts, { isUnaccepted }: CatalogConfig): boolean {
  return known.unremembered === true || isUnaccepted?.(server) === true;
}

/** Suspicious text, or text that is not scanned yet, withholds a tool until a person accepts its definition. */
function isWithheldForText({ scan, known }: ToolFacts, { scanner }: CatalogConfig): boolean {
  const isDoubtful = scan.suspicious || scan.pending === true;
  return isDoubtful && scanner === 'quarantine' && !isAcceptedByPerson(known);
}

/** The settings of a tool; those of "*" hold where the tool has none. Names come from servers, so `constructor` must not find a member of Object. */
export function overrideOf({ mcpServers }: Pick<Config, 'mcpServers'>, server: string, tool: string) {
  const tools = Object.hasOwn(mcpServers, server) ? mcpServers[server]?.tools : undefined;
  if (!tools) return undefined;
  const own = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  return Object.hasOwn(tools, '*') ? { ...tools['*'], ...own } : own;
}

/** The operation that the configuration sets, or the operator's stored verdict. */
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
