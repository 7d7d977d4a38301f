import type { Finding } from '../contract/tool.ts';
import { visibleLine } from '../lib/visible-text.ts';
import type { TextContext } from './annotate-text.ts';
import { OrderReader } from './orders/read-orders.ts';
import { saysItSteals } from './orders/theft.ts';
import { collectTexts } from './collect-texts.ts';
import { ownNamesOf } from './own-names.ts';
import type { OwnNames } from './read-piece.ts';
import { isHarmless, scanText } from './scan-text.ts';

export interface Scan {
  /** A person should review it before an agent reads it. */
  suspicious: boolean;
  /** The scan has not run yet. */
  pending?: true;
  findings: Finding[];
}

const MAX_FINDINGS = 20;
const EXCERPT = 160;
const SUSPICIOUS_WEIGHT = 2;

const THEFT = 'says of itself that it steals, deceives or destroys';

const VALUE = /\/(?:enum|examples)\/\d+$|\/(?:default|const|title)$/;
const SLOT = /\/properties\/[^/]+(?:\/description)?$/;
export const contextOf = (own: OwnNames, path: string): TextContext => ({
  own,
  isValue: VALUE.test(path),
  isSlot: SLOT.test(path),
});

/** The result for definitions that are exempt from scanning. */
export const NOT_SCANNED: Scan = { suspicious: false, findings: [] };

/** Scans every text of a definition for instructions to the model. Pure, and linear in the size of the text. */
export function scanDefinition(definition: unknown): Scan {
  const steps = scanSteps(definition);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same scan in steps of at most a few milliseconds. */
export function* scanSteps(definition: unknown): Generator<void, Scan> {
  const { texts, complete } = collectTexts(definition);
  const own = ownNamesOf(definition);
  const orders = new OrderReader(false);
  const findings: Finding[] = [];
  const weights = new Map<string, number>();
  for (const { path, text } of texts) {
    if (isHarmless(text, orders)) continue;
    yield;
    for (const { rule, weight, why, passage = text } of yield* scanText(text, {
      ...contextOf(own, path),
      orders,
      isResult: false,
    })) {
      weights.set(rule, Math.max(weights.get(rule) ?? 0, weight));
      if (findings.length < MAX_FINDINGS)
        findings.push({ rule, path, why, excerpt: visibleLine(passage.slice(0, EXCERPT)) });
    }
  }
  if (!complete)
    findings.push({ rule: 'too-long', path: '/', why: 'too long to be scanned completely', excerpt: '' });
  if (saysItSteals(definition)) {
    weights.set('theft', SUSPICIOUS_WEIGHT);
    findings.push({ rule: 'theft', path: '/', why: THEFT, excerpt: '' });
  }
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  // A text that was not scanned completely is not known to be harmless.
  return { suspicious: total >= SUSPICIOUS_WEIGHT || !complete, findings };
}
