export type Words = ReadonlySet<string>;

export const setOf = (text: string): Words => new Set(text.split(/\s+/).filter(Boolean));

/**
 * Whether words of each set follow one another, each within `reach` words of the one before. One pass: for each set the last place where
 * the chain so far could be ended is remembered, so the time is in proportion to the text whatever it holds.
 */
export function inOrder(words: readonly string[], sets: readonly Words[], reach: number): number {
  const last = sets.map(() => -Infinity);
  for (let i = 0; i < words.length; i++) {
    // From the end, so that one word does not serve two sets.
    for (let k = sets.length - 1; k >= 0; k--) {
      if (!sets[k]!.has(words[i]!)) continue;
      if (k === 0) last[0] = i;
      else if (i - last[k - 1]! <= reach && i !== last[k - 1]) last[k] = i;
      else continue;
      if (k === sets.length - 1) return i;
    }
  }
  return -1;
}

/** Whether words of all sets are within a window of so many words, in any order. */
export function together(words: readonly string[], sets: readonly Words[], window: number): number {
  const last = sets.map(() => -Infinity);
  for (let i = 0; i < words.length; i++) {
    let touched = false;
    for (let k = 0; k < sets.length; k++)
      if (sets[k]!.has(words[i]!)) {
        last[k] = i;
        touched = true;
      }
    if (touched && Math.min(...last) >= i - window) return i;
  }
  return -1;
}
