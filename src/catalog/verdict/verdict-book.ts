import type { Status } from '../../contract/status.ts';
import type { JudgedTool, VerdictBook } from '../../contract/tool.ts';
import { toolEntry, type CatalogTool } from '../catalog-tool.ts';
import { overrideOf, risksNow, type CatalogConfig, type ToolFacts } from './judge-tool.ts';
import type { KnownTool } from '../known/known-tool.ts';
import { distrustOf } from '../known/known-tools-row.ts';
import { isRejected } from '../known/learn-tool.ts';
import { declaredOperation } from './verdict.ts';

/** A tool with all its facts, for the operator. */
export function judgedTool(tool: CatalogTool, facts: ToolFacts, config: CatalogConfig): JudgedTool {
  const { known } = facts;
  return {
    ...toolEntry(tool),
    standing: tool.standing,
    withheld: tool.withheld,
    ...becauseOf(facts, config),
    definition_hash: known.hash,
    accepted: acceptance(known),
    ...rejection(known),
    ...distrust(known),
    first_seen: known.firstSeen,
    changed_at: known.changedAt,
    book: bookOf(tool, facts, config),
    suspicious: tool.suspicious,
    findings: tool.suspicious || facts.scan.pending ? facts.scan.findings : [],
  };
}

function becauseOf(facts: ToolFacts, config: CatalogConfig): Pick<JudgedTool, 'withheld_because'> {
  const risks = risksNow(facts, config);
  return risks.length > 0 ? { withheld_because: risks } : {};
}

/** Who has rejected the present definition. */
export function rejection(known: KnownTool): Pick<JudgedTool, 'rejected'> {
  const { rejected } = known;
  return rejected && isRejected(known) ? { rejected: { by: rejected.by, at: rejected.at } } : {};
}

/** Null: never accepted, or it is not known. */
export function acceptance(known: KnownTool): JudgedTool['accepted'] {
  const { accepted } = known;
  return accepted && !distrustOf(known) ? { by: accepted.by, at: accepted.at } : null;
}

export function distrust(known: KnownTool): Pick<JudgedTool, 'distrusted'> {
  const distrusted = distrustOf(known);
  return distrusted ? { distrusted } : {};
}

function bookOf({ constraint }: CatalogTool, facts: ToolFacts, config: CatalogConfig): VerdictBook {
  const { server, definition, inferred, known } = facts;
  const configured = overrideOf(config, server, definition.name)?.operation;
  return {
    hinted: declaredOperation(definition.annotations),
    held: declaredOperation(known.held),
    inferred,
    decision: configured ? { operation: configured, by: 'configuration' } : (known.operator ?? null),
    enforced: constraint.operation,
  };
}

/** How many tools have hints, lack them, or wait for the operator. */
export function coverageOf(tools: Iterable<CatalogTool>): Status['tools'] {
  const counts = {
    total: 0,
    annotated: 0,
    unannotated_destructive: 0,
    decided: 0,
    new: 0,
    changed: 0,
    withheld: 0,
    rejected: 0,
    suspicious: 0,
  };
  for (const { definition, operation, standing, withheld, rejected, suspicious } of tools) {
    counts.total++;
    if (declaredOperation(definition.annotations) !== null) counts.annotated++;
    else if (operation.inferred === 'destructive' && operation.source !== 'operator')
      counts.unannotated_destructive++;
    if (operation.source === 'operator') counts.decided++;
    // A rejected tool no longer waits for a decision.
    if (rejected) counts.rejected++;
    else if (standing !== 'accepted') counts[standing]++;
    if (withheld && !rejected) counts.withheld++;
    if (suspicious) counts.suspicious++;
  }
  return { ...counts, coverage: sentence(counts) };
}

function sentence(counts: Omit<Status['tools'], 'coverage'>): string {
  const {
    total,
    annotated,
    unannotated_destructive: silent,
    decided,
    changed,
    withheld,
    rejected,
    suspicious,
  } = counts;
  const parts = [
    `${annotated} of ${total} ${total === 1 ? 'tool is' : 'tools are'} annotated`,
    unannotatedText(silent),
    ...(decided > 0 ? [`${decided} decided by the operator`] : []),
    ...(changed > 0 ? [`${changed} changed since accepted`] : []),
    ...(suspicious > 0 ? [`${suspicious} with text that looks like an instruction to the model`] : []),
    ...(withheld > 0 ? [`${withheld} withheld until approved`] : []),
    ...(rejected > 0 ? [`${rejected} rejected`] : []),
  ];
  return parts.join('; ');
}

function unannotatedText(count: number): string {
  if (count === 0) return 'no unannotated tool looks destructive';
  return `${count} unannotated ${count === 1 ? 'tool looks' : 'tools look'} destructive`;
}
