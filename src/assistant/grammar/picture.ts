import { picturesAlone } from '../language/pictures.ts';
import type { Clause } from './reading.ts';

const LONGEST = 100;

/** "add 🚀🚀🚀": what stands behind an order of one word, where it is nothing but pictures. */
export function pictureAfter({ clean, tokens, core }: Clause): string | undefined {
  if (core[1] - core[0] !== 1 || core[1] !== tokens.length) return undefined;
  const rest = clean.slice(tokens[core[0]]!.end);
  return rest.length > LONGEST ? undefined : picturesAlone(rest);
}
