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
  /** What words count that are near to one of the query, and how alike they must be. */
  near: number;
  nearest: number;
  /** What two words side by side count beside the words themselves. */
  pair: number;
  /** What likeness of meaning counts beside the words, which count 1. */
  meaning: number;
  /** The share of its score that a tool loses whose name says that it does something else than was asked. */
  verb: number;
  /** A score below this is no match: better an empty answer than a misleading one. */
  floor: number;
}

/** Found by measuring (bench/eval-search.ts) on one part of a labelled set, confirmed on the other, and rounded. */
export const SETTINGS: SearchSettings = {
  weights: { name: 2.6, server: 2, summary: 1.5, description: 0.6, parameters: 0.4, parameter_text: 0.45 },
  b: { name: 0.7, server: 0.25, summary: 0.45, description: 0.6, parameters: 0.4, parameter_text: 0.5 },
  pivot: { name: 2, server: 3, summary: 12, description: 20, parameters: 3, parameter_text: 12 },
  k1: 1.2,
  quoted: 0.3,
  literal: 0.05,
  synonym: 0.4,
  emphasis: 0.4,
  fullLength: 1.5,
  near: 0.7,
  nearest: 0.35,
  pair: 0.4,
  meaning: 0.35,
  verb: 0.15,
  floor: 0.1,
};
