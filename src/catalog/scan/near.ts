/** Words that rules look for. Made by `setOf` only, so that all of them are known before any text is read. */
export type Words = ReadonlySet<string> & { readonly isNoted: true };

const noted = new Set<string>();

export function setOf(text: string): Words {
  const words = text.split(/\s+/).filter(Boolean);
  for (const word of words) noted.add(word);
  return Object.assign(new Set(words), { isNoted: true as const });
}

/** A word that some rule looks for, and how many words stand before it. */
export interface Told {
  word: string;
  at: number;
}

/** Of all words the few that mean something to a rule: found once, instead of by each rule. */
export function toldIn(words: readonly string[]): Told[] {
  const told: Told[] = [];
  for (let at = 0; at < words.length; at++) if (noted.has(words[at]!)) told.push({ word: words[at]!, at });
  return told;
}

/**
 * Whether words of each set follow one another, each within `reach` words of the one before. One pass: for each set the last place where
 * the chain so far could be ended is remembered, so the time is in proportion to the text whatever it holds.
 */
export function inOrder(told: readonly Told[], sets: readonly Words[], reach: number): number {
  const last = sets.map(() => -Infinity);
  for (const { word, at } of told) {
    // From the end, so that one word does not serve two sets.
    for (let k = sets.length - 1; k >= 0; k--) {
      if (!sets[k]!.has(word)) continue;
      if (k === 0) last[0] = at;
      else if (at - last[k - 1]! <= reach && at !== last[k - 1]) last[k] = at;
      else continue;
      if (k === sets.length - 1) return at;
    }
  }
  return -1;
}

/** Whether words of all sets are within a window of so many words, in any order. */
export function together(told: readonly Told[], sets: readonly Words[], window: number): number {
  const last = sets.map(() => -Infinity);
  for (const { word, at } of told) {
    let touched = false;
    for (let k = 0; k < sets.length; k++)
      if (sets[k]!.has(word)) {
        last[k] = at;
        touched = true;
      }
    if (touched && Math.min(...last) >= at - window) return at;
  }
  return -1;
}
