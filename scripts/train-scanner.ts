import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { COMPOSITIONS } from '../src/catalog/scan/compositions.ts';
import { CONCEPTS } from '../src/catalog/scan/concepts.ts';
import { markText } from '../src/catalog/scan/mark-text.ts';
import { ownNamesOf } from '../src/catalog/scan/own-names.ts';
import { plainOf } from '../src/catalog/scan/plain-text.ts';
import { whereIs } from '../src/catalog/scan/scan-definition.ts';
import { textsOf } from '../src/catalog/scan/texts-of.ts';
import { FIRST_PAIR, PASSAGE } from '../src/catalog/scan/weigh.ts';

/**
 * Finds the weights of the scanner: a logistic model over compositions and over each two concepts of a sentence, where a definition counts
 * as much as its heaviest passage. Whole numbers, the same for the same files.
 *
 *   npm run train:scanner -- FILE... [--alarms SHARE]
 * FILE: JSON lines of {label: "poisoned" | "benign", tool: {…}}. SHARE: of the benign ones that may raise an alarm; 0.004 unless told.
 */
interface Example {
  poisoned: boolean;
  weight: number;
  passages: number[][];
}

const args = process.argv.slice(2);
const option = args.indexOf('--alarms');
const share = option < 0 ? 0.004 : Number(args.splice(option, 2)[1]);
const SIZE = FIRST_PAIR + CONCEPTS.length ** 2;
const [ROUNDS, RATE, HOLD, HOLD_PAIRS, SCALE] = [300, 0.15, 5, 4, 20];
/** The weight of a composition that no example speaks for or against, and how rare a pair may be. */
const [USUAL, RARE_POISONED, RARE_BENIGN] = [0.8, 4, 8];
/** No file has more say than this many poisoned definitions of one that is as long as that. */
const SAY = 300;

function passagesOf(tool: unknown): number[][] {
  const own = ownNamesOf(tool);
  return textsOf(tool).texts.flatMap(({ path, text }) => {
    const steps = markText(plainOf(text).shown, own, whereIs(path), true);
    let step = steps.next();
    while (!step.done) step = steps.next();
    const features = step.value.map((sentence) => sentence.features);
    const passages = features.map((_, at) => [
      ...new Set(features.slice(Math.max(0, at - PASSAGE + 1), at + 1).flat()),
    ]);
    return passages.filter((passage) => passage.length > 0);
  });
}

function examplesOf(file: string): Example[] {
  const rows = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { label: string; tool: unknown });
  const poisoned = rows.filter(({ label }) => label === 'poisoned').length;
  return rows.map(({ label, tool }) => ({
    poisoned: label === 'poisoned',
    weight: label === 'poisoned' ? Math.sqrt(SAY / poisoned) : 1,
    passages: passagesOf(tool),
  }));
}

const examples = args.flatMap(examplesOf);
const counts = { poisoned: new Int32Array(SIZE), benign: new Int32Array(SIZE) };
for (const { poisoned, passages } of examples)
  for (const feature of new Set(passages.flat())) counts[poisoned ? 'poisoned' : 'benign'][feature]!++;

const nameOf = (feature: number) => {
  const pair = feature - FIRST_PAIR;
  return [CONCEPTS[Math.floor(pair / CONCEPTS.length)]!, CONCEPTS[pair % CONCEPTS.length]!] as const;
};
const isPair = (feature: number) => feature >= FIRST_PAIR;
const isKnown = (feature: number) =>
  isPair(feature)
    ? counts.poisoned[feature]! >= RARE_POISONED || counts.benign[feature]! >= RARE_BENIGN
    : feature < COMPOSITIONS.length;
/** What a tool is called can speak for it, not against it; a composition has its side by its meaning. */
const isHonest = (feature: number) => COMPOSITIONS[feature]?.rule === 'honest';
const isAbout = (feature: number) =>
  isPair(feature) && nameOf(feature).some((name) => /^own(Secret|Shell|Detect|Send|Context)$/.test(name));
const known = Array.from({ length: SIZE }, (_, feature) => feature).filter(isKnown);
const isIn = new Set(known);
for (const example of examples)
  example.passages = example.passages.map((passage) => passage.filter((feature) => isIn.has(feature)));

const weights = new Float64Array(SIZE);
const steps = new Float64Array(SIZE).fill(1e-6);
let [start, startStep] = [-3, 1e-6];
for (const feature of known) if (!isPair(feature)) weights[feature] = isHonest(feature) ? -0.1 : 0.5;

function heaviest({ passages }: Example): { sum: number; passage: number[] } {
  let found = { sum: passages.length === 0 ? start : -Infinity, passage: [] as number[] };
  for (const passage of passages) {
    let sum = start;
    for (const feature of passage) sum += weights[feature]!;
    if (sum > found.sum) found = { sum, passage };
  }
  return found;
}

for (let round = 0; round < ROUNDS; round++) {
  const slope = new Float64Array(SIZE);
  let startSlope = 0;
  for (const example of examples) {
    const { sum, passage } = heaviest(example);
    const wrong = example.weight * (1 / (1 + Math.exp(-sum)) - Number(example.poisoned));
    startSlope += wrong;
    for (const feature of passage) slope[feature]! += wrong;
  }
  for (const feature of known) {
    const pull = isPair(feature)
      ? HOLD_PAIRS * weights[feature]!
      : HOLD * (weights[feature]! - (isHonest(feature) ? 0 : USUAL));
    const by = slope[feature]! + pull;
    steps[feature]! += by * by;
    weights[feature]! -= (RATE * by) / Math.sqrt(steps[feature]!);
    const wrongSide = isPair(feature)
      ? isAbout(feature) && weights[feature]! > 0
      : isHonest(feature)
        ? weights[feature]! > 0
        : weights[feature]! < 0;
    if (wrongSide) weights[feature] = 0;
  }
  startStep += startSlope * startSlope;
  start -= (RATE * startSlope) / Math.sqrt(startStep);
}

const sums = examples
  .filter(({ poisoned }) => !poisoned)
  .map((example) => heaviest(example).sum)
  .sort((a, b) => b - a);
const enough = sums[Math.floor(sums.length * share)]! + 0.05;
const whole = (weight: number) => Math.round(weight * SCALE);
const pairs = known.filter((feature) => isPair(feature) && whole(weights[feature]!) !== 0);
const lines: string[] = [];
for (const feature of pairs) {
  const entry = `${nameOf(feature).join(':')}:${whole(weights[feature]!)}`;
  if (lines.length > 0 && lines.at(-1)!.length + entry.length < 145) lines[lines.length - 1] += ` ${entry}`;
  else lines.push(entry);
}
writeFileSync(
  fileURLToPath(new URL('../src/catalog/scan/weights.ts', import.meta.url)),
  `// Made by scripts/train-scanner.ts; not to be changed by hand.

/** The weight of a text that says nothing, and the one from which a passage is worth a look. */
export const START = ${whole(start)};
export const ENOUGH = ${whole(enough)};

/** Of each composition, in the order of their table. */
// prettier-ignore
export const COMPOSED: readonly number[] = [
  ${Array.from({ length: COMPOSITIONS.length }, (_, at) => whole(weights[at]!))
    .join(', ')
    .replace(/(.{1,140}),(?: |$)/g, '$1,\n  ')
    .trimEnd()}
];

/** Of two concepts in one sentence. */
export const PAIRS = \`
${lines.join('\n')}
\`;
`,
);
const found = examples.filter((example) => heaviest(example).sum >= enough);
console.log(
  `found ${found.filter(({ poisoned }) => poisoned).length} of ${examples.filter(({ poisoned }) => poisoned).length} poisoned,`,
  `${found.filter(({ poisoned }) => !poisoned).length} alarms over ${sums.length} benign, ${pairs.length} pairs`,
);
