import type { OperationType } from '../../contract/operation.ts';
import { SEVERITY, type Inference } from './inference.ts';
import { firstSentence } from '../search/tool-text.ts';
import {
  computesValue,
  isActNoun,
  isInspectionInText,
  isMild,
  isNounToo,
  isOutputVerb,
  isUnmistakable,
  READ_NOUNS,
  verbInText,
  verbOperation,
  type Verb,
} from './verbs.ts';

const FINAL =
  /\b(?:cannot|can't|can not) be (?:undone|reversed|recovered)\b|\birreversibl[ey]\b|\bpermanently (?:delet|remov|eras|destroy)\w*|\bthis is (?:a )?destructive\b/i;
const LEADING_WORDS = 10;
const MAX_LATER = 1000;
const INTRODUCES = /^(?:,|to|can|and|or|you|users?|then|for|by|of|including|like|easily|quickly)$/;
const OBJECT = /^(?:the|an?|all|any|your|this|these|its|their|one|multiple|new|each|every)$/;
const OFFERED = /^(?:services?|functionality|abilit(?:y|ies)|interface|management|tools?|ways?|operations?)$/;
const JOINS = /^(?:,|and|or|then)$/;

/** The first sentence of a description. */
interface Sentence {
  text: string;
  words: string[];
  /** The operation that the tool's name gives. */
  named: OperationType | undefined;
  /** The leading verb and its place among the words; -1 if there is none. */
  lead: Verb | undefined;
  index: number;
}

/** Infers from the first verb of the description and the verbs that are joined to it. */
export function fromText(description: string, parts: string[]): Inference | undefined {
  if (FINAL.test(description))
    return { operation: 'destructive', reason: 'its description says that the effect cannot be undone' };
  const sentence = readSentence(description, parts);
  const { words, named } = sentence;
  const worst = worstVerb(sentence, description);
  if (!named && (worst?.operation ?? 'read') === 'read' && hidesAnAct(sentence)) return undefined;
  if (!worst) return named ? undefined : namedThing(words);
  if (named && worst.operation !== 'destructive' && named !== 'read') return undefined;
  return fromVerb(worst, sentence);
}

function readSentence(description: string, parts: string[]): Sentence {
  const text = firstSentence(description).toLowerCase();
  const selects = /\bselect\b|\bread[- ]only\b/.test(text);
  const words: string[] = text.match(/[\p{L}']+|,/gu) ?? [];
  const named = parts.map(verbOperation).find((operation) => operation !== undefined);
  // A verb in the name is stronger evidence; the text then counts only if it opens with another verb.
  const opening = words.slice(0, named ? 3 : LEADING_WORDS);
  const index = opening.findIndex((word) => leadingVerb(word, named, selects) !== undefined);
  const lead = index < 0 ? undefined : leadingVerb(words[index]!, named, selects);
  return { text, words, named, lead, index };
}

function worstVerb({ text, words, named, lead, index }: Sentence, description: string): Verb | undefined {
  const verbs = [
    ...(lead ? [lead] : []),
    ...chainedVerbs(words, index),
    ...addedVerbs(text),
    ...(named ? [] : mentionedVerbs(words)),
    ...laterVerbs(description, named),
  ];
  return verbs.reduce<Verb | undefined>(
    (a, b) => (a && SEVERITY[a.operation] >= SEVERITY[b.operation] ? a : b),
    undefined,
  );
}

/** The leading verb may stand for less than its operation: "run an audit", "convert a currency". */
function fromVerb(worst: Verb, { words, lead, index }: Sentence): Inference {
  const reason = `its description says "${worst.verb}"`;
  if (worst !== lead) return { operation: worst.operation, reason };
  if (isInspectionInText(lead.verb, words.slice(index + 1)))
    return { operation: 'read', reason: `its description says "${worst.verb} …"` };
  return { operation: computesValue(lead.verb, words) ? 'read' : worst.operation, reason };
}

/**
 * "Ensure the folder exists and return its path", "Provides rental services": the act is in a word that is in no list, or in none, and the
 * reading verb says nothing about it.
 */
function hidesAnAct({ words, index: lead }: Sentence): boolean {
  const imperative = verbInText(words[0] ?? '') === undefined && OBJECT.test(words[1] ?? '');
  const appended = lead > 1 && /^(?:and|then)$/.test(words[lead - 1]!);
  const offers =
    (words[lead] ?? '').startsWith('provid') &&
    words.slice(lead + 1, lead + 6).some((word) => OFFERED.test(word));
  return (imperative && !OBJECT.test(words[0] ?? '')) || appended || offers;
}

/** "Current market data": a description without any verb that names something to read. */
function namedThing(words: string[]): Inference | undefined {
  const thing = words.slice(0, LEADING_WORDS).find((word) => READ_NOUNS.has(word) && word !== 'help');
  if (!thing || words.some((word) => verbInText(word) !== undefined)) return undefined;
  return { operation: 'read', reason: `its description only names "${thing}"` };
}

/** If the name has a verb, "Run this tool first" and "Use when" only address the reader, and "Execute a SELECT" adds nothing. */
function leadingVerb(word: string, named: OperationType | undefined, selects: boolean): Verb | undefined {
  if (named && /^(?:run|use|call|start|begin)$/.test(word)) return undefined;
  if (named === 'read' && /^(?:executes?|runs|select)$/.test(word) && selects) return undefined;
  const verb = verbInText(word);
  return named === 'read' && verb && isOutputVerb(verb.verb) ? undefined : verb;
}

/** "List, create or close a tab": verbs in a row from the leading one. */
function chainedVerbs(words: string[], start: number): Verb[] {
  const verbs: Verb[] = [];
  if (start < 0) return verbs;
  for (let i = start + 1; i < words.length; i++) {
    if (JOINS.test(words[i]!)) continue;
    const verb = verbInText(words[i]!);
    if (!verb || !JOINS.test(words[i - 1]!)) break;
    verbs.push(verb);
  }
  return verbs;
}

const NOT_TELLING = [isActNoun, isNounToo, isMild];

/** "Offers ways to create …", "for managing …, where you can add, delete": if the name has no verb, every act in the sentence counts. */
function mentionedVerbs(words: string[]): Verb[] {
  return words.flatMap((word, i) => {
    const verb = INTRODUCES.test(words[i - 1] ?? '') ? verbInText(word) : undefined;
    return verb && !NOT_TELLING.some((test) => test(verb.verb)) ? [verb] : [];
  });
}

/** "Takes the next job. Removes it from the queue.": a clear act at the beginning of a later sentence outweighs a reading verb. */
function laterVerbs(description: string, named: OperationType | undefined): Verb[] {
  const starts =
    /[.!?\n][^\S\n]*(?:[-*•]\s*)?(\p{L}+s)\s+(?:the|an?|all|any|it|them|its|their|this|every|each|your)\b/gu;
  return [...description.slice(0, MAX_LATER).toLowerCase().matchAll(starts)]
    .flatMap(([, word]) => verbInText(word!) ?? [])
    .filter(({ verb }) => isUnmistakable(verb))
    .map(({ verb, operation }) => ({ verb, operation: named === 'read' ? 'write' : operation }));
}

/** "… and deletes them", "then saves it": a second act later in the sentence, told from a noun by the object that follows. */
function addedVerbs(sentence: string): Verb[] {
  const second =
    /\b(?:and|then)\s+(?:then\s+|also\s+)?(\p{L}+)\s+(?:it|them|its|their|the|a|an|your|all|any|every|each|new|to)\b/gu;
  const verbs = [...sentence.matchAll(second)].flatMap(([, word]) => verbInText(word!) ?? []);
  const participles = [...sentence.matchAll(/,\s*(?:also\s+)?(\p{L}+ing)\s/gu)].flatMap(
    ([, word]) => verbInText(word!) ?? [],
  );
  return [...verbs, ...participles.filter(({ verb }) => isUnmistakable(verb))];
}
