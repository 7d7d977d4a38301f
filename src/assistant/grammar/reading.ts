import type { TaskChange, TaskReference } from '../../contract/chat.ts';
import type { Mood } from '../language/carriers.ts';
import type { Token } from '../language/token.ts';
import type { Span } from '../language/phrase.ts';

export type TaskIntent = 'CREATE_TASK' | 'LIST_TASKS' | 'COMPLETE_TASK' | 'UPDATE_TASK' | 'DELETE_TASK';

/** One clause and its core. */
export interface Clause {
  clean: string;
  tokens: readonly Token[];
  /** Without greetings, with the carrier phrase. */
  whole: Span;
  core: Span;
  moods: ReadonlySet<Mood>;
  asked: boolean;
  question: boolean;
}

/**
 * How the grammar reads a clause. Certain: verb and task are both named, and nothing else could be meant. Strong: it names tasks, a list or a place in it, or is a phrase that means nothing else.
 * Weak: it would also be said of other things. Unsure: it is said of other things more often.
 */
export interface Reading {
  intent: TaskIntent;
  strength: 'certain' | 'strong' | 'weak' | 'unsure';
  /** Why, in words that complete "it …". */
  rule: string;
  descriptions?: string[];
  references?: TaskReference[];
  change?: TaskChange;
  /** A plain command form: decisive, so that the model is not asked. */
  command?: true;
}

export function isStrong(strength: Reading['strength']): boolean {
  return strength === 'strong' || strength === 'certain';
}

/** A part of the message, and its reading. */
export interface ReadClause {
  clause: Clause;
  reading: Reading | undefined;
  /** Only a part of the sentence. */
  cut: boolean;
}
