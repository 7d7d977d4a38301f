import type { ToolDefinition } from '../contract/tool.ts';
import type { SearchSettings } from './search-settings.ts';
import { synonymGroup } from './synonyms.ts';
import { tokenize } from './tokenize.ts';
import { FIELDS, toolText, type Field } from './tool-text.ts';

export interface IndexedTool {
  /** server:tool */
  name: string;
  server: string;
  definition: ToolDefinition;
}

/** The BM25F pseudo-frequency of each term of a tool: by field, diluted by the field's length, weighted, summed. */
export function documentWeights(tool: IndexedTool, settings: SearchSettings): Map<string, number> {
  const weights = new Map<string, number>();
  eachWeight(tool, settings, (term, _field, weight) => weights.set(term, (weights.get(term) ?? 0) + weight));
  return weights;
}

/** The same with the fields apart, to say where a match comes from. */
export function fieldWeights(
  tool: IndexedTool,
  settings: SearchSettings,
  wanted: ReadonlySet<string>,
): Map<string, Map<Field, number>> {
  const weights = new Map<string, Map<Field, number>>();
  eachWeight(tool, settings, (term, field, weight) => {
    if (!wanted.has(term)) return;
    const fields = weights.get(term) ?? new Map<Field, number>();
    weights.set(term, fields.set(field, (fields.get(field) ?? 0) + weight));
  });
  return weights;
}

function eachWeight(
  tool: IndexedTool,
  settings: SearchSettings,
  note: (term: string, field: Field, weight: number) => void,
): void {
  const text = toolText(tool.server, tool.definition);
  for (const field of FIELDS) {
    const terms = tokenize(text[field]);
    const b = settings.b[field];
    const each = settings.weights[field] / (1 - b + (b * terms.length) / settings.pivot[field]);
    for (const term of terms) {
      note(term, field, each);
      const group = synonymGroup(term);
      if (group !== undefined) note(group, field, each);
    }
  }
}
