import { tester } from './count-steps.ts';
import { leavesOf, parsePattern, waysOf, type Node } from './parse-pattern.ts';

const CANDIDATES = [
  ...Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i)),
  ...'\t\n\r\u0000\u0085\u00a0\u00ad\u00e9\u200b\u2028\ufeff\u4e2d',
];
/** No pattern wants it, so that what was tried must be given up. */
const END = '\u0001';
const MAX_SAMPLES = 10;
const MAX_START = 60;
const MAX_WORDS = 12;

/** What is tried on everything that is scanned. */
export const PIECES = [
  '-',
  'a',
  'A1',
  'a.',
  'aGk0',
  'curl -u ',
  'secret',
  ' ',
  '\n',
  '"',
  '/',
  'a,',
  '@a.',
  ': ',
];

/** Texts of a length that are made of what the pattern itself asks for: each character and each two again and again, also behind a start. */
export function attackTexts(pattern: { source: string; flags: string }, length: number): string[] {
  const fits = tester(pattern.flags);
  const fitting = (leaf: string) => CANDIDATES.filter((unit) => fits(leaf, unit));
  const letterOf = (units: string[]) => units.find((unit) => /[a-z0-9]/i.test(unit)) ?? units[0] ?? '';
  const sample = (node: Node) =>
    leavesOf(node)
      .map((leaf) => letterOf(fitting(leaf)))
      .join('')
      .slice(0, MAX_START);
  const whole = parsePattern(pattern.source);
  const units = leavesOf(whole).flatMap((leaf) => {
    const all = fitting(leaf);
    return [letterOf(all), all[0] ?? '', all.at(-1) ?? ''];
  });
  const all = [...new Set(units)].filter(Boolean).slice(0, MAX_SAMPLES);
  const pairs = all.flatMap((a) => all.filter((b) => b !== a).map((b) => a + b));
  const start = sample(whole);
  const starts = [...new Set([1, 3, 20, start.length - 1].map((end) => start.slice(0, end)))].filter(Boolean);
  const words = [...new Set([start, ...waysOf(whole).map(sample)])].filter(Boolean).slice(0, MAX_WORDS);
  const filled = (piece: string) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
  return [
    ...[...PIECES, ...all, ...pairs, ...words].map(filled),
    ...starts.flatMap((one) => all.map((unit) => one + filled(unit))),
  ].map((text) => text + END);
}
