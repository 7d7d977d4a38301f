import type { QuerySettings } from './query-terms.ts';
import type { Field } from './tool-text.ts';

export interface SearchSettings extends QuerySettings {
  weights: Record<Field, number>;
  /** How strongly a long field lowers the weight of its words, and the length in terms at which it has no effect. */
  b: Record<Field, number>;
  pivot: Record<Field, number>;
  /** How soon repetitions of a word stop counting. */
  k1: number;
  /** How much less a word with little meaning counts, and the vector length from which a word counts in full. */
  emphasis: number;
  fullLength: number;
  /** The weight of similar words, and how similar they must be. */
  near: number;
  nearest: number;
  /** The weight of two adjacent words, in addition to the words themselves. */
  pair: number;
  /** The weight of similar meaning; words have the weight 1. */
  meaning: number;
  /** The share of its score that a tool loses if its name says another operation than the query asks for. */
  verb: number;
  /** The part of a match that does not count where a hit above has it too. */
  repeat: number;
  /** A lower score is no match: an empty answer is better than a misleading one. */
  floor: number;
}

/** Tuned with bench/eval-search.ts on one part of a labelled set, confirmed on the other part, and rounded. */
export const SETTINGS: SearchSettings = {
  weights: {
    name: 2.6,
    server: 2,
    summary: 1.5,
    description: 0.6,
    parameters: 0.4,
    parameter_text: 0.45,
    about: 0.4,
  },
  b: {
    name: 0.7,
    server: 0.25,
    summary: 0.45,
    description: 0.6,
    parameters: 0.4,
    parameter_text: 0.5,
    about: 0.5,
  },
  pivot: { name: 2, server: 3, summary: 12, description: 20, parameters: 3, parameter_text: 12, about: 12 },
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
  repeat: 0.35,
  floor: 0.1,
};
