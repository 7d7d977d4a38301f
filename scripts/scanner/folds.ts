import { createHash } from 'node:crypto';
import type { Example } from './examples.ts';
import { fit, heaviest } from './fit.ts';

export interface Scored {
  example: Example;
  sum: number;
}

/** What belongs to one source is held out together. */
const foldOf = ({ source }: Example, folds: number) =>
  createHash('sha256').update(source).digest().readUInt32BE(0) % folds;

/** Each example as it is weighed by a model that has seen nothing of its source. */
export function crossValidate(examples: readonly Example[], folds: number): Scored[] {
  return Array.from({ length: folds }, (_, fold) => {
    const model = fit(examples.filter((example) => foldOf(example, folds) !== fold));
    return examples
      .filter((example) => foldOf(example, folds) === fold)
      .map((example) => ({
        example,
        sum: example.tricked ? Infinity : heaviest(model, example.passages).sum,
      }));
  }).flat();
}

const share = (scored: readonly Scored[], enough: number) => {
  const found = scored.filter(({ sum }) => sum >= enough).length;
  return scored.length === 0
    ? '–'
    : `${found}/${scored.length} ${((100 * found) / scored.length).toFixed(1)} %`;
};

/** For each file: how many poisoned ones are found, and how many honest ones raise an alarm, by where the line is drawn. */
export function tableOf(scored: readonly Scored[], lines: readonly number[]): string {
  const files = [...new Set(scored.map(({ example }) => example.file))];
  return files
    .flatMap((file) => {
      const of = scored.filter(({ example }) => example.file === file);
      const [poisoned, benign] = [true, false].map((is) =>
        of.filter(({ example }) => example.poisoned === is),
      );
      return lines.map(
        (line) =>
          `${file.split('/').at(-1)!.padEnd(24)} from ${line.toFixed(2).padStart(5)}: found ${share(poisoned!, line).padEnd(16)} alarms ${share(benign!, line)}`,
      );
    })
    .join('\n');
}
