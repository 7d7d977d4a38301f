import type { ToolDefinition } from '../../contract/tool.ts';
import type { Scan } from '../../scanner/index.ts';
import type { KnownTool } from '../known/known-tool.ts';
import { askingParameters } from './asking-parameters.ts';

/** What the accepted definition of a tool had, to tell what a change adds. */
export interface Baseline {
  findings: ReadonlySet<string>;
  asking: ReadonlySet<string>;
}

/** How a definition differs from the accepted one in what `quarantine: "risky"` withholds. */
export interface ChangeRisk {
  /** Hash of the accepted definition. */
  of: string;
  /** Absent: the accepted definition was not kept. */
  baseline?: Baseline;
  /** Absent: not known, or not scanned yet. */
  adds?: { findings: string[]; asking: string[] };
}

/** The part of the facts of a tool that this needs. */
export interface ComparedFacts {
  definition: ToolDefinition;
  scan: Scan;
  known: KnownTool;
  risk?: ChangeRisk | undefined;
}

export function baselineOf({ definition, scan }: Pick<ComparedFacts, 'definition' | 'scan'>): Baseline {
  return { findings: new Set(findingsOf(scan)), asking: askingParameters(definition.inputSchema) };
}

/** A finding whose passage has changed is another finding. */
const findingsOf = ({ suspicious, findings }: Scan): string[] =>
  suspicious ? findings.map(({ rule, path, excerpt }) => JSON.stringify([rule, path, excerpt])) : [];

/**
 * The risk of a changed tool; undefined where it did not change, or where the accepted definition has to be read first. `before` are the
 * facts of the tool until now, which may be those of the accepted definition.
 */
export function riskOf(now: ComparedFacts, before: ComparedFacts | undefined): ChangeRisk | undefined {
  const of = now.known.accepted?.hash;
  if (of === undefined || of === now.known.hash) return undefined;
  const known = [now.risk, before?.risk].find((risk) => risk?.of === of);
  if (known && !known.baseline) return known;
  const baseline = known?.baseline ?? (before && ownBaseline(before, of));
  if (!baseline) return undefined;
  return now.scan.pending ? { of, baseline } : { of, baseline, adds: additions(now, baseline) };
}

/** Whether the accepted definition has to be read to know the risk. */
export function isUncompared({ known: { accepted, hash }, risk }: ComparedFacts): boolean {
  return accepted !== undefined && accepted.hash !== hash && risk === undefined;
}

function ownBaseline(before: ComparedFacts, hash: string): Baseline | undefined {
  return before.known.hash === hash && !before.scan.pending ? baselineOf(before) : undefined;
}

function additions({ definition, scan }: ComparedFacts, baseline: Baseline): ChangeRisk['adds'] {
  const isNewFinding = findingsOf(scan).some((finding) => !baseline.findings.has(finding));
  const asking = [...askingParameters(definition.inputSchema)];
  return {
    findings: isNewFinding ? [...new Set(scan.findings.map(({ rule }) => rule))] : [],
    asking: asking.filter((each) => !baseline.asking.has(each)),
  };
}
