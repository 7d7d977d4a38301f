import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { annotateText } from '../../src/scanner/annotate-text.ts';
import { collectTexts } from '../../src/scanner/collect-texts.ts';
import { RULE_FINDINGS } from '../../src/scanner/compositions.ts';
import { decodeEmbedded } from '../../src/scanner/decode.ts';
import { ownNamesOf } from '../../src/scanner/own-names.ts';
import { toPlainText } from '../../src/scanner/plain-text.ts';
import { contextOf, scanDefinition } from '../../src/scanner/scan-definition.ts';
import { PASSAGE } from '../../src/scanner/score.ts';

/** One line of a file. `source` names the author: cross-validation keeps the rows of one author together. */
export interface Row {
  label: 'poisoned' | 'benign';
  tool: unknown;
  source?: string;
}

export interface Example {
  file: string;
  source: string;
  poisoned: boolean;
  weight: number;
  /** Found by hidden characters or encodings alone, without the weights. */
  obfuscated: boolean;
  passages: number[][];
  tool: unknown;
}

/** A file with this many poisoned definitions has weight 1 per row; longer files have less per row. */
const REFERENCE_ROWS = 300;

/** Honest rows in a file with attacks are hard cases, so they weigh as much as the attacks. */
function weightOf(label: Row['label'], poisoned: number): number {
  const weight = (REFERENCE_ROWS / Math.max(1, poisoned)) ** 0.6;
  if (label === 'poisoned') return weight;
  return poisoned === 0 ? 1 : Math.max(1, weight);
}

function passagesOf(tool: unknown): number[][] {
  const own = ownNamesOf(tool);
  return collectTexts(tool).texts.flatMap(({ path, text }) =>
    [text, ...decodeEmbedded(text)].flatMap((written) => {
      const steps = annotateText(toPlainText(written).shown, contextOf(own, path), true);
      let step = steps.next();
      while (!step.done) step = steps.next();
      const features = step.value.map((sentence) => sentence.features);
      const passages = features.map((_, at) => [
        ...new Set(features.slice(Math.max(0, at - PASSAGE + 1), at + 1).flat()),
      ]);
      return passages.filter((passage) => passage.length > 0);
    }),
  );
}

const isObfuscated = (tool: unknown) => {
  const { suspicious, findings } = scanDefinition(tool);
  return suspicious && findings.every(({ rule }) => !(rule in RULE_FINDINGS));
};

export function readRows(file: string): Row[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
}

export function examplesOf(file: string, rows: readonly Row[]): Example[] {
  const poisoned = rows.filter(({ label }) => label === 'poisoned').length;
  return rows.map(({ label, tool, source }) => ({
    file,
    source: source ?? createHash('sha256').update(JSON.stringify(tool)).digest('hex'),
    poisoned: label === 'poisoned',
    weight: weightOf(label, poisoned),
    obfuscated: isObfuscated(tool),
    passages: passagesOf(tool),
    tool,
  }));
}
