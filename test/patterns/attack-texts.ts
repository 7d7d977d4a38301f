import { tester } from './count-steps.ts';
import { leavesOf, parsePattern } from './parse-pattern.ts';

const CANDIDATES = [
  ...Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i)),
  ...'\t\n\r\u0000\u0085\u00a0\u00ad\u00e9\u200b\u2028\ufeff\u4e2d',
];
/** No pattern wants it, so that what was tried must be given up. */
const END = '\u0001';
const MAX_SAMPLES = 10;

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
  const leaves = leavesOf(parsePattern(pattern.source));
  const samples = new Set<string>();
  let start = '';
  for (const leaf of leaves) {
    const fitting = CANDIDATES.filter((unit) => fits(leaf, unit));
    const letter = fitting.find((unit) => /[a-z0-9]/i.test(unit));
    for (const unit of [letter, fitting[0], fitting.at(-1)])
      if (unit !== undefined && samples.size < MAX_SAMPLES) samples.add(unit);
    start += letter ?? fitting[0] ?? '';
  }
  const all = [...samples];
  const pairs = all.flatMap((a) => all.filter((b) => b !== a).map((b) => a + b));
  const filled = (piece: string) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
  const starts = new Set(
    ['', start.slice(0, 1), start.slice(0, 3), start.slice(0, 20), start.slice(0, -1)].map((one) =>
      one.slice(0, 60),
    ),
  );
  return [
    ...PIECES.map(filled),
    ...(start === '' ? [] : [filled(start)]),
    ...[...all, ...pairs].map(filled),
    ...[...starts].filter(Boolean).flatMap((one) => all.map((unit) => one + filled(unit))),
  ].map((text) => text + END);
}
