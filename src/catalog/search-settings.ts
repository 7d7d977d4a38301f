import type { QuerySettings } from './query-terms.ts';
import type { Field } from './tool-text.ts';

export interface SearchSettings extends QuerySettings {
  weights: Record<Field, number>;
  /** How strongly a long field dilutes its words, and the length in terms at which it neither gains nor loses. */
  b: Record<Field, number>;
  pivot: Record<Field, number>;
  /** How soon more of the same word stops counting. */
  k1: number;
}

/** Found by measuring (bench/eval-search.ts) on one part of a labelled set, confirmed on the other, and rounded. */
export const SETTINGS: SearchSettings = {
  weights: { name: 2.6, server: 1.6, summary: 1.5, description: 0.6, parameters: 0.4, parameter_text: 0.3 },
  b: { name: 0.5, server: 0.25, summary: 0.45, description: 0.6, parameters: 0.4, parameter_text: 0.75 },
  pivot: { name: 3, server: 2, summary: 12, description: 20, parameters: 3, parameter_text: 12 },
  k1: 1.4,
  quoted: 0.3,
  literal: 0.15,
  synonym: 0.4,
};
