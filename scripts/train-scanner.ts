import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { COMPOSITIONS } from '../src/scanner/compositions.ts';
import { examplesOf, readRows } from './scanner/examples.ts';
import { fit, heaviest, isPair, nameOf, SIZE, type Model } from './scanner/fit.ts';
import { crossValidate, tableOf } from './scanner/folds.ts';
import { generate } from './scanner/generate.ts';

/**
 * Finds the weights of the scanner: a logistic model over compositions and over each two concepts of a sentence, where a definition counts
 * as much as its heaviest passage. Whole numbers, the same for the same files. What is made from our own templates is learned from as well.
 *
 *   npm run train:scanner -- FILE... [--enough LINE] [--without FILE]...     writes the weights
 *   npm run train:scanner -- FILE... --folds 5 [--without FILE]...           only measures, on sources that were left out of learning
 * FILE: JSON lines of {label: "poisoned" | "benign", tool: {…}, source?}. LINE: from where on a passage is worth a look, 0 unless told.
 * Rows of a FILE after --without are only measured on.
 */
const SCALE = 20;
const LINES = [-1, -0.5, -0.25, 0, 0.25, 0.5, 1];

const args = process.argv.slice(2);
function taken(name: string): string[] {
  const found: string[] = [];
  for (let at = args.indexOf(name); at >= 0; at = args.indexOf(name)) found.push(args.splice(at, 2)[1]!);
  return found;
}
const enough = Number(taken('--enough')[0] ?? 0);
const folds = Number(taken('--folds')[0] ?? 0);
const unseen = taken('--without').flatMap((file) => examplesOf(file, readRows(file)));
const examples = [
  ...args.flatMap((file) => examplesOf(file, readRows(file))),
  ...examplesOf('generated', generate()),
];

const whole = (weight: number) => Math.round(weight * SCALE);

function pairLines({ weights }: Model): string[] {
  const lines: string[] = [];
  for (let feature = 0; feature < SIZE; feature++) {
    if (!isPair(feature) || whole(weights[feature]!) === 0) continue;
    const entry = `${nameOf(feature).join(':')}:${whole(weights[feature]!)}`;
    if (lines.length > 0 && lines.at(-1)!.length + entry.length < 145) lines[lines.length - 1] += ` ${entry}`;
    else lines.push(entry);
  }
  return lines;
}

const textOf = (model: Model) => `// Made by scripts/train-scanner.ts; not to be changed by hand.

/** The weight of a text that says nothing, and the one from which a passage is worth a look. */
export const START = ${whole(model.start)};
export const ENOUGH = ${whole(enough)};

/** Of each composition, in the order of their table. */
// prettier-ignore
export const COMPOSED: readonly number[] = [
  ${Array.from({ length: COMPOSITIONS.length }, (_, at) => whole(model.weights[at]!))
    .join(', ')
    .replace(/(.{1,140}),(?: |$)/g, '$1,\n  ')
    .trimEnd()}
];

/** Of two concepts in one sentence. */
export const PAIRS = \`
${pairLines(model).join('\n')}
\`;
`;

const model = fit(examples);
const score = (of: typeof examples) =>
  of.map((example) => ({
    example,
    sum: example.tricked ? Infinity : heaviest(model, example.passages).sum,
  }));
if (folds > 0) {
  console.log(tableOf(crossValidate(examples, folds), LINES));
} else {
  writeFileSync(fileURLToPath(new URL('../src/scanner/weights.ts', import.meta.url)), textOf(model));
  console.log(tableOf(score(examples), [enough]));
}
if (unseen.length > 0)
  console.log(`never learned from:\n${tableOf(score(unseen), folds > 0 ? LINES : [enough])}`);
