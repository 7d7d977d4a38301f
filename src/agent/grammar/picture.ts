import type { Clause } from './reading.ts';

/** Pictures alone; faces and gestures are only how something is said. */
const PICTURES = /^\s*((?:(?![✅✔☑👍👎❌\u{1F600}-\u{1F64F}])\p{Extended_Pictographic}\s*)+)[.!]*\s*$/u;
const LONGEST = 100;

/** "add 🚀🚀🚀": what stands behind an order of one word, where it is nothing but pictures. */
export function pictureAfter({ clean, tokens, core }: Clause): string | undefined {
  if (core[1] - core[0] !== 1 || core[1] !== tokens.length) return undefined;
  const rest = clean.slice(tokens[core[0]]!.end);
  return rest.length > LONGEST ? undefined : PICTURES.exec(rest)?.[1]?.trim();
}
