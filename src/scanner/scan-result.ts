import { collectTexts } from './collect-texts.ts';
import { OrderReader } from './orders/read-orders.ts';
import type { OwnNames } from './read-piece.ts';
import { isHarmless, scanText } from './scan-text.ts';

/** What in an answer looks like an instruction to the model, and where. */
export interface ResultFinding {
  rule: string;
  path: string;
  why: string;
}

const MOST_FINDINGS = 20;
const NOBODY: OwnNames = { tool: '', arguments: new Set(), words: new Set(), about: [] };

/**
 * Scans what a tool has answered, or the error it gave, in steps of at most a few milliseconds. Its threshold is its own: marks that any page
 * may have count only beside an order, and orders count that an honest definition might contain. Nothing is found where no single
 * sign is strong.
 */
export function* scanResultSteps(answer: unknown): Generator<void, ResultFinding[]> {
  const findings: ResultFinding[] = [];
  const orders = new OrderReader(true);
  let isStrong = false;
  for (const { path, text } of collectTexts(answer).texts) {
    if (isHarmless(text, orders)) continue;
    yield;
    const context = { own: NOBODY, isSlot: false, isValue: false, orders, isResult: true };
    for (const { rule, weight, why } of yield* scanText(text, context)) {
      isStrong ||= weight === 2;
      if (findings.length < MOST_FINDINGS) findings.push({ rule, path, why });
    }
    orders.endSentence();
  }
  return isStrong ? findings : [];
}

/** The same at once. */
export function scanResult(answer: unknown): ResultFinding[] {
  const steps = scanResultSteps(answer);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
