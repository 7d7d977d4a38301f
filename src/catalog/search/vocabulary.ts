import type { CatalogTool } from '../catalog-tool.ts';
import { nameParts } from '../verdict/inference.ts';
import { editDistance } from './nearest-names.ts';

const MAX_TOOLS = 5000;
const MAX_QUERY_WORDS = 8;
const MAX_SUGGESTED = 5;

/** Words of tool names that are a slip away from words of the query. Worked out only where nothing was found. */
export function nearestWords(query: string, tools: Iterable<Pick<CatalogTool, 'tool'>>): string[] {
  const wanted = nameParts(query)
    .filter((word) => word.length >= 3)
    .slice(0, MAX_QUERY_WORDS);
  const near = new Map<string, number>();
  for (const word of wordsOf(tools)) {
    const distance = Math.min(
      ...wanted.map((each) => editDistance(each, word, boundOf(each)) - boundOf(each)),
    );
    if (distance <= 0) near.set(word, distance);
  }
  return [...near]
    .sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
    .slice(0, MAX_SUGGESTED)
    .map(([word]) => word);
}

function wordsOf(tools: Iterable<Pick<CatalogTool, 'tool'>>): Set<string> {
  const words = new Set<string>();
  let seen = 0;
  for (const { tool } of tools) {
    for (const word of nameParts(tool)) if (word.length >= 3 && word.length <= 40) words.add(word);
    if (++seen >= MAX_TOOLS) break;
  }
  return words;
}

function boundOf(word: string): number {
  return word.length < 5 ? 1 : 2;
}
