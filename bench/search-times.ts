import { outputOf } from './children.ts';

export interface SearchResult {
  tools: number;
  wordsEach: number;
  p50Ms: number;
  p99Ms: number;
  buildMs: number;
  indexMb: number;
}

/** Reads the table of search.ts, which runs in a process of its own: a big heap would slow down what is measured after it. */
export function measureSearch(sizes: number[]): SearchResult[] {
  const text = outputOf('search', sizes, ['--expose-gc']);
  const rows = text
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([tools]) => tools !== undefined && tools > 0);
  if (rows.length === 0) throw new Error(`search.ts printed no figures:\n${text}`);
  return rows.map(([tools, wordsEach, p50Ms, p99Ms, buildMs, indexMb]) => ({
    tools: tools!,
    wordsEach: wordsEach!,
    p50Ms: p50Ms!,
    p99Ms: p99Ms!,
    buildMs: buildMs!,
    indexMb: indexMb!,
  }));
}
