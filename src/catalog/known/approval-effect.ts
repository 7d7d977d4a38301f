import { type ApprovalEffect, type VerdictStep, ToolDefinition } from '../../contract/tool.ts';
import { variantsAllowed, type OperationType } from '../../contract/operation.ts';
import type { CatalogTool } from '../catalog-tool.ts';
import { inferOperation } from '../verdict/infer-operation.ts';
import { operatorOf, type CatalogConfig, type ToolFacts } from '../verdict/judge-tool.ts';
import { decideVerdict, severity, type Constraint } from '../verdict/verdict.ts';

/**
 * What accepting a tool as it is now means for agents. `kept` is the definition that was accepted, as JSON. Before: what holds today where
 * that is stricter than what follows; otherwise what the accepted definition stood for.
 */
export function approvalEffect(
  tool: CatalogTool,
  facts: ToolFacts,
  kept: string | null,
  config: CatalogConfig,
): ApprovalEffect {
  const after = constraintOf(facts.definition, facts, config);
  const today = tool.constraint;
  const relaxes = severity(today) > severity(after);
  const before = !facts.known.accepted
    ? null
    : relaxes || kept === null
      ? today
      : constraintOf(JSON.parse(kept) as unknown, facts, config);
  const step = (constraint: Constraint): VerdictStep => ({
    operation: constraint.operation,
    source: constraint.source,
    variants: variantsAllowed(constraint.operation, isStrict(constraint, config)),
  });
  const effect = {
    before: before && step(before),
    after: step(after),
    keeps: strictest(before, today, after),
  };
  return { ...effect, consequence: sentence(tool.withheld, effect.before, effect.after) };
}

/** What a definition would be held to if it were accepted now. */
function constraintOf(raw: unknown, facts: ToolFacts, config: CatalogConfig): Constraint {
  const parsed = ToolDefinition.safeParse(raw);
  const definition = parsed.success ? parsed.data : facts.definition;
  const operator = operatorOf(facts, config);
  return decideVerdict({
    hints: definition.annotations,
    inferred: definition === facts.definition ? facts.inferred : inferOperation(definition),
    ...(operator && { operator }),
    mode: config.intent_declaration.unannotated,
  }).constraint;
}

/** In the lenient mode a mismatch only warns, except where the operator has set the operation. */
function isStrict({ source }: Constraint, { intent_declaration: intent }: CatalogConfig): boolean {
  return intent.strict_server_validation || source === 'operator';
}

function strictest(...constraints: Array<Constraint | null>): OperationType | null {
  const known = constraints.filter((constraint) => constraint !== null);
  const most = known.reduce((a, b) => (severity(b) > severity(a) ? b : a));
  // Where nothing is known, agents are told "write"; a read that was nothing known before is held to that.
  return most.operation ?? (known.some(({ operation }) => operation !== null) ? 'write' : null);
}

function sentence(withheld: boolean, before: VerdictStep | null, after: VerdictStep): string {
  const may = withheld ? 'find it and call it' : 'call it';
  const now = `After this, agents may ${may} as ${nameOf(after)}: with ${after.variants.join(', ')}.`;
  if (!before) return `${now} Nobody has accepted it before.`;
  if (before.operation === after.operation && before.variants.length === after.variants.length)
    return `${now} That is as it was before.`;
  return `${now} Before, it was held to ${nameOf(before)}: with ${before.variants.join(', ')}.`;
}

function nameOf({ operation }: VerdictStep): string {
  return operation ?? 'any operation';
}
