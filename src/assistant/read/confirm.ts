import type { Message, Token } from '../language/token.ts';
import {
  ASSENTS,
  CANCEL_IT,
  DENIALS,
  DOUBT,
  HALF_YES,
  HARMLESS,
  NO,
  NO_PHRASES,
  OF_ANSWERS,
  OF_HALF_YES,
  OF_NO,
  POLITE,
  UNDECIDED,
  YES,
  YES_PHRASES,
} from '../language/words/answers.ts';

export type Answer = 'yes' | 'no' | 'mixed';

const SURE_YES = new Set(['yes', 'yeah', 'yep', 'yup']);
const LONGEST_YES = 14;
/** One task waits; "delete them all" asks for something else. */
const DELETES = new Set(['delete', 'remove', 'erase']);
const MANY = new Set(['all', 'everything', 'them', 'both', 'every']);
const LONGEST_DENIAL = 14;
const LONGEST_UNDECIDED = 14;

export interface AnswerInput {
  message: Message;
  /** The description of what waits for a yes; its words may stand in the answer. */
  about?: string;
}

/** Reads the message as an answer to "shall I delete it?". Strict for yes: whatever is not plainly one is none. */
export function readAnswer({ message, about }: AnswerInput): Answer | undefined {
  const tokens = tokensOf(message);
  const words = tokens.map(({ word }) => word);
  if (words.length === 0) return undefined;
  const asks = message.quoted || message.sentences.some(({ question }) => question);
  if (startsWithNo(words) && !asks) return words.some((word) => SURE_YES.has(word)) ? 'mixed' : 'no';
  if (!startsWithYes(words)) return undefined;
  if (asks || words.some((word) => DOUBT.has(word)) || tokens.some(({ quoted }) => quoted)) return 'mixed';
  return isPlainYes(tokens, about) ? 'yes' : undefined;
}

function tokensOf({ sentences }: Message): Token[] {
  return sentences.flatMap(({ tokens }) => tokens);
}

function startsWithYes(words: readonly string[]): boolean {
  const first = words[0] === 'please' ? (words[1] ?? '') : words[0]!;
  return YES.has(first) || HALF_YES.has(first) || startsWith(words, YES_PHRASES);
}

/** Words of the task that waits may stand in a yes; those of another task may not. */
function isPlainYes(tokens: readonly Token[], about: string | undefined): boolean {
  if (tokens.length > LONGEST_YES) return false;
  const title = new Set((about ?? '').toLowerCase().split(/[^\p{L}\p{M}\p{N}']+/u));
  if (tokens.some(({ word }) => DELETES.has(word)) && tokens.some(({ word }) => MANY.has(word))) return false;
  if (HALF_YES.has(tokens[0]!.word))
    return tokens.every(({ word }) => HALF_YES.has(word) || OF_HALF_YES.has(word) || title.has(word));
  return tokens.every(({ word }) => YES.has(word) || HARMLESS.has(word) || title.has(word));
}

function startsWith(words: readonly string[], list: readonly string[][]): boolean {
  return list.some((phrase) => phrase.every((word, i) => words[i] === word));
}

function startsWithNo(words: readonly string[]): boolean {
  let at = 0;
  while (at < words.length - 1 && POLITE.has(words[at]!) && !startsWith(words.slice(at, at + 8), NO_PHRASES))
    at++;
  return NO.has(words[at]!) || startsWith(words.slice(at, at + 8), NO_PHRASES);
}

/** Denies the question without beginning with a no: "that is wrong". Only worth reading while a question is open. */
export function denies(message: Message): boolean {
  const words = tokensOf(message).map(({ word }) => word);
  return words.length <= LONGEST_DENIAL && words.some((word) => DENIALS.has(word));
}

/** A no and nothing else: without an open question, whatever else is said beside a "no" is talk. */
export function isPlainNo(message: Message): boolean {
  return message.sentences.every(
    ({ tokens, question }) => !question && tokens.every(({ word }) => OF_NO.has(word)),
  );
}

/** "You can cancel the task": while a delete waits, the delete is what is cancelled. */
export function cancelsPending(message: Message): boolean {
  const words = tokensOf(message).map(({ word }) => word);
  return (
    words.some((word) => NO.has(word) || word === 'forget') && words.every((word) => CANCEL_IT.has(word))
  );
}

/** "Not sure", "it could go either way": neither yes nor no. */
export function isUndecided(message: Message): boolean {
  const words = tokensOf(message).map(({ word }) => word);
  if (words.length > LONGEST_UNDECIDED || !words.every((word) => OF_ANSWERS.has(word))) return false;
  return words.some((_, i) => startsWith(words.slice(i, i + 6), UNDECIDED));
}

const LONGEST_ASSENT = 6;
/** "Sounds good", or a yes with more behind it ("yes and also call mom"): no plain yes, so it is none, but worth asking about. */
export function isHalfYes(message: Message): boolean {
  if (startsWithSureYes(message)) return true;
  const words = tokensOf(message).map(({ word }) => word);
  return words.length <= LONGEST_ASSENT && startsWith(words, ASSENTS);
}

export function startsWithSureYes(message: Message): boolean {
  return SURE_YES.has(tokensOf(message)[0]?.word ?? '');
}
