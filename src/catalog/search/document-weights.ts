import type { ToolDefinition } from '../../contract/tool.ts';
import type { SearchSettings } from './search-settings.ts';
import { synonymGroup } from './synonyms.ts';
import { termsOf, wordPairs, words, type Word } from './tokenize.ts';
import { FIELDS, toolText, type Field } from './tool-text.ts';

export interface IndexedTool {
  /** server:tool */
  name: string;
  server: string;
  definition: ToolDefinition;
  /** How its server introduces itself. */
  about?: string | undefined;
}

/** The words of a tool by field. */
export type FieldWords = Record<Field, Word[]>;

export function fieldWords({ server, definition, about }: IndexedTool): FieldWords {
  const text = toolText(server, definition, about);
  return Object.fromEntries(FIELDS.map((field) => [field, [...words(text[field])]])) as FieldWords;
}

/** The BM25F pseudo-frequency of each term of a tool: by field, diluted by the field's length, weighted, summed. */
export function documentWeights(text: FieldWords, settings: SearchSettings): Map<string, number> {
  const weights = new Map<string, number>();
  eachWeight(text, settings, (term, _field, weight) => weights.set(term, (weights.get(term) ?? 0) + weight));
  return weights;
}

/** The same by field, to explain a match. */
export function fieldWeights(
  text: FieldWords,
  settings: SearchSettings,
  wanted: ReadonlySet<string>,
): Map<string, Map<Field, number>> {
  const weights = new Map<string, Map<Field, number>>();
  eachWeight(text, settings, (term, field, weight) => {
    if (!wanted.has(term)) return;
    const fields = weights.get(term) ?? new Map<Field, number>();
    weights.set(term, fields.set(field, (fields.get(field) ?? 0) + weight));
  });
  return weights;
}

/** Fields in which adjacent words belong together; in longer fields they may be adjacent by chance. */
const PAIRED: ReadonlySet<Field> = new Set(['name', 'summary']);

function eachWeight(
  text: FieldWords,
  settings: SearchSettings,
  note: (term: string, field: Field, weight: number) => void,
): void {
  for (const field of FIELDS) {
    const terms = termsOf(text[field]);
    const b = settings.b[field];
    const each = settings.weights[field] / (1 - b + (b * terms.length) / settings.pivot[field]);
    for (const term of terms) {
      note(term, field, each);
      const group = synonymGroup(term);
      if (group !== undefined) note(group, field, each);
    }
    if (PAIRED.has(field)) for (const pair of wordPairs(text[field])) note(pair, field, each);
  }
}
