import { emojiOnly } from '../language/phrase.ts';
import type { Clause } from './reading.ts';

const LONGEST = 100;

/** "add 🚀🚀🚀": the emoji after a command of one word. */
export function emojiAfter({ clean, tokens, core }: Clause): string | undefined {
  if (core[1] - core[0] !== 1 || core[1] !== tokens.length) return undefined;
  const rest = clean.slice(tokens[core[0]]!.end);
  return rest.length > LONGEST ? undefined : emojiOnly(rest);
}
