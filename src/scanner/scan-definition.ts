import type { Finding } from '../contract/judged-tool.ts';
import { visibleLine } from '../lib/visible-text.ts';
import type { Where } from './mark-sentence.ts';
import { ownNamesOf } from './own-names.ts';
import { scanText } from './scan-text.ts';
import { textsOf } from './texts-of.ts';

export interface Scan {
  /** Worth a person's look before an agent reads it. */
  suspicious: boolean;
  /** It was not looked at yet. */
  pending?: true;
  findings: Finding[];
}

const MAX_FINDINGS = 20;
const EXCERPT = 160;
const ENOUGH = 2;

const VALUE = /\/(?:enum|examples)\/\d+$|\/(?:default|const|title)$/;
const SLOT = /\/properties\/[^/]+(?:\/description)?$/;
export const whereIs = (path: string): Where => ({ value: VALUE.test(path), slot: SLOT.test(path) });

/** For what is not looked at. */
export const NOT_SCANNED: Scan = { suspicious: false, findings: [] };

/** Looks at every text of a definition for what is meant for the model instead of the person. Pure, and linear in the size of the text. */
export function scanDefinition(definition: unknown): Scan {
  const steps = scanSteps(definition);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same in steps of a few milliseconds at most. */
export function* scanSteps(definition: unknown): Generator<void, Scan> {
  const { texts, complete } = textsOf(definition);
  const own = ownNamesOf(definition);
  const findings: Finding[] = [];
  const weights = new Map<string, number>();
  for (const { path, text } of texts) {
    yield;
    for (const { rule, weight, why, passage = text } of yield* scanText(text, own, whereIs(path))) {
      weights.set(rule, Math.max(weights.get(rule) ?? 0, weight));
      if (findings.length < MAX_FINDINGS)
        findings.push({ rule, path, why, excerpt: visibleLine(passage.slice(0, EXCERPT)) });
    }
  }
  if (!complete)
    findings.push({ rule: 'too-long', path: '/', why: 'it is too long to be read to the end', excerpt: '' });
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  // What nobody has read to its end is not known to be harmless.
  return { suspicious: total >= ENOUGH || !complete, findings };
}
