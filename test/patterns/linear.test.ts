import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { attackTexts } from './attack-texts.ts';
import { countSteps, TooManySteps } from './count-steps.ts';
import { patternsIn, type Found } from './find-patterns.ts';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .sort();

const [SHORT, LONG] = [32, 128];
/** Four times the text takes four times the steps; with room for what is done once. Quadratic would be sixteen times. */
const GROWTH = 8;
const LIMIT = 500_000;

function steps(pattern: { source: string; flags: string }, length: number): number {
  return Math.max(...attackTexts(pattern, length).map((text) => countSteps(pattern, text, LIMIT)));
}

function growth(pattern: { source: string; flags: string }): number {
  // Without an open repetition each place of the text takes the same few steps.
  if (!/[*+]|,\}/.test(pattern.source)) return 1;
  try {
    return steps(pattern, LONG) / steps(pattern, SHORT);
  } catch (error) {
    if (error instanceof TooManySteps) return Infinity;
    throw error;
  }
}

const MADE = [
  'assistant/command/list-questions.ts',
  'assistant/command/polite.ts',
  'assistant/decide/new-time.ts',
  'assistant/edit/correction.ts',
  'assistant/edit/forms.ts',
  'assistant/edit/new-title.ts',
  'assistant/edit/parts.ts',
  'assistant/edit/read-edit.ts',
  'assistant/reply/languages.ts',
  'assistant/reply/small-talk.ts',
  'catalog/verdict/other-languages.ts',
  'clients/connect/diff.ts',
  'doors/http/server/address.ts',
  'lib/pattern.ts',
  'road/dialogs/imitation.ts',
  'scanner/plain-text.ts',
  'token/secret.ts',
];

describe('the counter', () => {
  test.each([
    ['abc', 'linear'],
    ['^[a-z]+$', 'linear'],
    ['[ab]*c', 'quadratic'],
    ['\\s+$', 'quadratic'],
    ['(a+)+$', 'worse'],
    ['(?:a|a)*$', 'worse'],
    ['^(a|aa)+$', 'worse'],
    ['^.*,.*,.*x', 'worse'],
  ])('%s is %s', (source, kind) => {
    const ratio = growth({ source, flags: '' });
    if (kind === 'linear') expect(ratio).toBeLessThan(GROWTH);
    else expect(ratio).toBeGreaterThan(kind === 'worse' ? 30 : GROWTH);
  });

  test.each([
    ['a(b|c)+d', 'xxabcbcd', 8],
    ['(?<!x)b', 'xb b', 4],
    ['\\bfoo\\b', 'a foo', 5],
    ['(a)\\1', 'aa', 2],
  ])('%s is found in %j up to %i', (source, text, end) => {
    const match = new RegExp(source, 'g').exec(text)!;
    expect(match.index + match[0].length).toBe(end);
    expect(countSteps({ source, flags: 'g' }, text, 1000)).toBeGreaterThan(0);
  });
});

/** Patterns that take more, each with what keeps it harmless: a text that cannot be long, or that is nobody else's. */
const BOUNDED: Record<string, number | 'ours' | 'of the operator'> = {
  'app-parts.ts /\\/+$/': 'of the operator',
  'assistant/command/polite.ts /\\s*\\n\\s*/': 'ours',
  'assistant/language/groups.ts /\\s*[,\\n]\\s*/': 'ours',
  'assistant/grammar/phrases/change.ts /\\s*\\n\\s*/': 'ours',
  'assistant/read/yes-or-no.ts /\\s*,\\s*/': 'ours',
  'catalog/verdict/inference.ts /([A-Z]+)([A-Z][a-z])/g': 256,
  'doors/cli/fail.ts /\\n\\((.*)\\)$/s': 'of the operator',
  'config/settings.ts /\\$\\{[^}]+\\}/g': 'of the operator',
  'config/mask-target.ts /\\$\\{[^}]*\\}/g': 'of the operator',
  'config/file/server-alias.ts /[_.-]+$/': 64,
  'config/show.ts /\\/\\/.*@/s': 'of the operator',
  'doors/http/server/public-place.ts /\\/+$/': 'of the operator',
};

describe('every pattern of the program takes steps in proportion to the text', () => {
  const all = files.flatMap((file) => patternsIn(join(SRC, file)));
  const named = ({ file, source, flags }: Found) => `${file.slice(SRC.length)} /${source}/${flags}`;

  test('those that are written out', () => {
    expect(all.length).toBeGreaterThan(200);
    for (const found of all) expect(() => new RegExp(found.source, found.flags), named(found)).not.toThrow();
    const slow = all.filter((found) => growth(found) >= GROWTH).map(named);
    expect([...new Set(slow)].sort()).toEqual(Object.keys(BOUNDED).sort());
  });

  test.each(
    all
      .filter((found) => typeof BOUNDED[named(found)] === 'number')
      .map((found) => ({ found, name: named(found) })),
  )('$name, on the longest text that it gets', ({ found, name }) => {
    expect(steps(found, BOUNDED[name] as number)).toBeLessThan(LIMIT);
  });

  test('those that are put together', () => {
    const made = files.filter((file) => /new RegExp\(/.test(readFileSync(join(SRC, file), 'utf8')));
    // Made of fixed words, on texts without runs of blanks where they repeat; lib/pattern.ts only asks whether it is a pattern at all; road/dialogs/imitation.ts replaces letters in patterns that are written out.
    expect(made).toEqual(MADE);
  });
});
