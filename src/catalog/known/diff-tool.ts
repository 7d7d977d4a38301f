import { ToolDefinition, type ApprovalEffect, type ToolDiff, type VerdictStep } from '../../contract/tool.ts';
import { variantsAllowed, type OperationType } from '../../contract/operation.ts';
import type { CatalogTool } from '../catalog-tool.ts';
import { inferOperation } from '../verdict/infer-operation.ts';
import { operatorOf, risksNow, type CatalogConfig, type ToolFacts } from '../verdict/judge-tool.ts';
import { decideVerdict, severity, type Constraint } from '../verdict/verdict.ts';
import { acceptance, rejection } from '../verdict/verdict-book.ts';
import { diffDefinitions } from './definition.ts';
import { distrustOf } from './known-tools-row.ts';
import { MAX_NEW_PER_HOUR, MAX_PER_SERVER } from './known-tools.ts';
import { isSamePlace, isSameServer } from './server-identity.ts';

/** Why a tool is withheld whose server has listed too many names, and what to do. */
export const NOT_REMEMBERED =
  `its server has listed ${MAX_PER_SERVER} different tool names, or ${MAX_NEW_PER_HOUR} new ones within an hour, and no more are remembered; a later change of this tool could not be ` +
  'detected, so it is withheld. Approve it to remember it; if the server makes up new names, fix or remove the server';

/** A tool with the facts behind it, and the definition that was accepted, as JSON; null where none is kept. */
export interface ComparedTool {
  tool: CatalogTool;
  facts: ToolFacts;
  accepted: string | null;
}

/** How a tool differs from its accepted definition. */
export function diffTool(compared: ComparedTool, config: CatalogConfig): ToolDiff {
  const { tool, facts, accepted: json } = compared;
  const { definition, known } = facts;
  const { accepted } = known;
  const isSame = accepted?.hash === known.hash;
  const { changes, cut } =
    json === null || isSame || !accepted
      ? { changes: [], cut: false }
      : diffDefinitions(JSON.parse(json) as unknown, definition);
  return {
    name: tool.name,
    standing: tool.standing,
    withheld: tool.withheld,
    definition_hash: known.hash,
    accepted: acceptance(known),
    changes,
    notes: [
      ...notesOf(compared),
      ...riskNotes(facts, config),
      ...(cut ? ['there are more changes than are shown'] : []),
    ],
    inferred: { operation: facts.inferred.operation, reason: facts.inferred.reason },
    approval: approvalEffect(compared, config),
    ...rejection(known),
  };
}

function notesOf({ facts: { known }, accepted: json }: ComparedTool): string[] {
  const { accepted } = known;
  const unremembered = known.unremembered ? [NOT_REMEMBERED] : [];
  if (!accepted) return ['the tool is new: no definition was accepted yet', ...unremembered];
  const distrusted = distrustOf(known);
  if (distrusted)
    return [`the tool is withheld because of ${distrusted.why}; what was accepted is not known`];
  const isUnkept = accepted.hash !== known.hash && json === null;
  return [
    ...unremembered,
    ...(isUnkept
      ? [
          'the accepted definition was not kept, because it was too large or its server has too many tools, or it was changed outside of mcpproxy; only its hash is known',
        ]
      : []),
    ...(isSameServer(accepted.identity, known.identity) ? [] : [moveNote(accepted.identity, known.identity)]),
  ];
}

function riskNotes(facts: ToolFacts, config: CatalogConfig): string[] {
  const risks = risksNow(facts, config);
  return risks.length > 0 ? [`withheld, because ${risks.join('; ')}`] : [];
}

function moveNote(before: string, now: string): string {
  return isSamePlace(before, now)
    ? 'the server introduces itself differently: name, version or instructions'
    : 'the server is started or reached differently: command, arguments, URL, or names of environment variables or headers';
}

/**
 * What accepting a tool as it is now means for agents. `before` is the present constraint where that is stricter than the one after
 * acceptance, otherwise the constraint of the accepted definition.
 */
function approvalEffect({ tool, facts, accepted }: ComparedTool, config: CatalogConfig): ApprovalEffect {
  const after = constraintOf(facts.definition, facts, config);
  const today = tool.constraint;
  const relaxes = severity(today) > severity(after);
  const before = !facts.known.accepted
    ? null
    : relaxes || accepted === null
      ? today
      : constraintOf(JSON.parse(accepted) as unknown, facts, config);
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

/** The constraint that a definition would have if it were accepted now. */
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
  // Agents see an unknown operation as "write", so a tool that becomes a read after being unknown keeps that.
  return most.operation ?? (known.some(({ operation }) => operation !== null) ? 'write' : null);
}

function sentence(withheld: boolean, before: VerdictStep | null, after: VerdictStep): string {
  const may = withheld ? 'find it and call it' : 'call it';
  const now = `After this, agents may ${may} as ${nameOf(after)}: with ${after.variants.join(', ')}.`;
  if (!before) return `${now} It was never accepted before.`;
  if (before.operation === after.operation && before.variants.length === after.variants.length)
    return `${now} That is the same as before.`;
  return `${now} Before, it counted as ${nameOf(before)}: with ${before.variants.join(', ')}.`;
}

function nameOf({ operation }: VerdictStep): string {
  return operation ?? 'any operation';
}
