import { readFileSync } from 'node:fs';
import type { ToolDefinition } from '../../src/contract/tool.ts';

export interface CorpusRow {
  label: 'poisoned' | 'benign';
  tool: ToolDefinition;
  /** The text that matters: the longest one. */
  text: string;
}

/** The labelled corpus of definitions. */
export function readCorpus(): Record<CorpusRow['label'], CorpusRow[]> {
  const file = new URL('../../bench/data/scanner.jsonl', import.meta.url);
  const rows = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { label, tool } = JSON.parse(line) as Omit<CorpusRow, 'text'>;
      return { label, tool, text: longest(tool) };
    });
  const of = (label: CorpusRow['label']) => rows.filter((row) => row.label === label);
  return { poisoned: of('poisoned'), benign: of('benign') };
}

function longest(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const texts = [...Object.keys(value), ...Object.values(value).map(longest)];
  return texts.reduce((a, b) => (b.length > a.length ? b : a), '');
}
