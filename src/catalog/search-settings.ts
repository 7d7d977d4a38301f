import type { QuerySettings } from './query-terms.ts';
import type { Field } from './tool-text.ts';

export interface SearchSettings extends QuerySettings {
  weights: Record<Field, number>;
  /** How strongly a long field dilutes its words, and the length in terms at which it neither gains nor loses. */
  b: Record<Field, number>;
  pivot: Record<Field, number>;
  /** How soon more of the same word stops counting. */
  k1: number;
  /** How much less a word counts that says little in any catalogue, and the length of vector from which on it counts in full. */
  emphasis: number;
  fullLength: number;
  /** What likeness of meaning counts beside the words, which count 1. */
  meaning: number;
  /** The share of its score that a tool loses whose name says that it does something else than was asked. */
  verb: number;
  /** A score below this is no match: better an empty answer than a misleading one. */
  floor: number;
}

/** Found by measuring (bench/eval-search.ts) on one part of a labelled set, confirmed on the other, and rounded. */
export const SETTINGS: SearchSettings = {
  weights: { name: 2.6, server: 1.6, summary: 1.5, description: 0.6, parameters: 0.4, parameter_text: 0.45 },
  b: { name: 0.5, server: 0.25, summary: 0.45, description: 0.6, parameters: 0.4, parameter_text: 0.5 },
  pivot: { name: 3, server: 2, summary: 12, description: 20, parameters: 3, parameter_text: 12 },
  k1: 1.4,
  quoted: 0.3,
  literal: 0.15,
  synonym: 0.4,
  emphasis: 0.4,
  fullLength: 1.5,
  meaning: 0.4,
  verb: 0.15,
  floor: 0.1,
};
