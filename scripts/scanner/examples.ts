import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { decodedIn } from '../../src/scanner/decode.ts';
import { markText } from '../../src/scanner/mark-text.ts';
import { ownNamesOf } from '../../src/scanner/own-names.ts';
import { plainOf } from '../../src/scanner/plain-text.ts';
import { scanDefinition, whereIs } from '../../src/scanner/scan-definition.ts';
import { textsOf } from '../../src/scanner/texts-of.ts';
import { PASSAGE } from '../../src/scanner/weigh.ts';
import { WHY } from '../../src/scanner/why.ts';

/** One line of a file: `source` says who wrote it, for folds that keep what belongs together. */
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
  /** Found by how it is written, whatever it says. */
  tricked: boolean;
  passages: number[][];
  tool: unknown;
}

/** No file has more say than this many poisoned definitions of one that is as long as that. */
const SAY = 300;

/** Honest texts that stand beside attacks were chosen because they are hard, and count as much. */
function weightOf(label: Row['label'], poisoned: number): number {
  const weight = (SAY / Math.max(1, poisoned)) ** 0.6;
  if (label === 'poisoned') return weight;
  return poisoned === 0 ? 1 : Math.max(1, weight);
}

function passagesOf(tool: unknown): number[][] {
  const own = ownNamesOf(tool);
  return textsOf(tool).texts.flatMap(({ path, text }) =>
    [text, ...decodedIn(text)].flatMap((written) => {
      const steps = markText(plainOf(written).shown, own, whereIs(path), true);
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

const isTricked = (tool: unknown) => {
  const { suspicious, findings } = scanDefinition(tool);
  return suspicious && findings.every(({ rule }) => !(rule in WHY));
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
    tricked: isTricked(tool),
    passages: passagesOf(tool),
    tool,
  }));
}
