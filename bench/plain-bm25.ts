/** Textbook BM25: whole words, one field, k1 1.2, b 0.75. The baseline for search. */
export function createPlainBm25(documents: Array<[name: string, text: string]>): (query: string) => string[] {
  const parsed = documents.map(([name, text]) => ({ name, ...frequencies(text) }));
  const average = parsed.reduce((sum, { length }) => sum + length, 0) / Math.max(1, parsed.length);
  const holders = new Map<string, number>();
  for (const { counts } of parsed)
    for (const word of counts.keys()) holders.set(word, (holders.get(word) ?? 0) + 1);

  return (query) => {
    const words = wordsOf(query);
    const scored = parsed.map(({ name, counts, length }) => {
      const score = words.reduce((sum, word) => {
        const count = counts.get(word) ?? 0;
        const rarity = Math.log(
          1 + (parsed.length - (holders.get(word) ?? 0) + 0.5) / ((holders.get(word) ?? 0) + 0.5),
        );
        return sum + (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / average));
      }, 0);
      return { name, score };
    });
    return scored
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
      .slice(0, 10)
      .map(({ name }) => name);
  };
}

function frequencies(text: string): { counts: Map<string, number>; length: number } {
  const words = wordsOf(text);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, length: words.length };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}
