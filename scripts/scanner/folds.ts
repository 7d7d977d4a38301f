import { createHash } from 'node:crypto';
import type { Example } from './examples.ts';
import { fit, heaviest } from './fit.ts';

export interface Scored {
  example: Example;
  sum: number;
}

/** All rows of one source are in the same fold. */
const foldOf = ({ source }: Example, folds: number) =>
  createHash('sha256').update(source).digest().readUInt32BE(0) % folds;

/** Scores each example by a model that was trained without its source. */
export function crossValidate(examples: readonly Example[], folds: number): Scored[] {
  return Array.from({ length: folds }, (_, fold) => {
    const model = fit(examples.filter((example) => foldOf(example, folds) !== fold));
    return examples
      .filter((example) => foldOf(example, folds) === fold)
      .map((example) => ({
        example,
        sum: example.obfuscated ? Infinity : heaviest(model, example.passages).sum,
      }));
  }).flat();
}

const share = (scored: readonly Scored[], threshold: number) => {
  const found = scored.filter(({ sum }) => sum >= threshold).length;
  return scored.length === 0
    ? '–'
    : `${found}/${scored.length} ${((100 * found) / scored.length).toFixed(1)} %`;
};

/** For each file and threshold: the share of poisoned rows found, and the share of benign rows with a false alarm. */
export function tableOf(scored: readonly Scored[], thresholds: readonly number[]): string {
  const files = [...new Set(scored.map(({ example }) => example.file))];
  return files
    .flatMap((file) => {
      const of = scored.filter(({ example }) => example.file === file);
      const [poisoned, benign] = [true, false].map((is) =>
        of.filter(({ example }) => example.poisoned === is),
      );
      return thresholds.map(
        (threshold) =>
          `${file.split('/').at(-1)!.padEnd(24)} from ${threshold.toFixed(2).padStart(5)}: found ${share(poisoned!, threshold).padEnd(16)} alarms ${share(benign!, threshold)}`,
      );
    })
    .join('\n');
}
