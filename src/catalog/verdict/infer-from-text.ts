import type { OperationType } from '../../contract/operation.ts';
import { SEVERITY, type Inference } from './inference.ts';
import { firstSentence } from '../search/tool-text.ts';
import {
  handsOut,
  isActNoun,
  isMild,
  isNounToo,
  isUnmistakable,
  READ_NOUNS,
  takesALookInText,
  verbInText,
  verbOperation,
  worksOnValue,
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

/** The first verb of the description, and the verbs that are joined to it. */
export function fromText(description: string, parts: string[]): Inference | undefined {
  if (FINAL.test(description))
    return { operation: 'destructive', reason: 'its description speaks of something that cannot be undone' };
  const sentence = firstSentence(description).toLowerCase();
  const selects = /\bselect\b|\bread[- ]only\b/.test(sentence);
  const words = sentence.match(/[\p{L}']+|,/gu) ?? [];
  const named = parts.map(verbOperation).find((operation) => operation !== undefined);
  // A name with a verb is the better witness; the text then counts only where it opens with another verb.
  const opening = words.slice(0, named ? 3 : LEADING_WORDS);
  const index = opening.findIndex((word) => leads(word, named, selects) !== undefined);
  const lead = index < 0 ? undefined : leads(words[index]!, named, selects)!;
  const others = named ? [] : mentioned(words);
  const worst = [
    ...(lead ? [lead] : []),
    ...chained(words, index),
    ...added(sentence),
    ...others,
    ...later(description, named),
  ].reduce<Verb | undefined>(
    (a, b) => (a && SEVERITY[a.operation] >= SEVERITY[b.operation] ? a : b),
    undefined,
  );
  if (!named && (worst?.operation ?? 'read') === 'read' && hidesAnAct(words, index)) return undefined;
  if (!worst) return named ? undefined : thingLookedAt(words);
  if (named && worst.operation !== 'destructive' && named !== 'read') return undefined;
  if (worst === lead && takesALookInText(lead.verb, words.slice(index + 1)))
    return { operation: 'read', reason: `its description says "${worst.verb} …"` };
  if (worst !== lead || !worksOnValue(lead.verb, words))
    return { operation: worst.operation, reason: `its description says "${worst.verb}"` };
  return { operation: 'read', reason: `its description says "${worst.verb}"` };
}

/**
 * "Ensure the folder exists and return its path", "Provides rental services": the act is in a word that nobody has listed, or in none,
 * and the reading verb says nothing about it.
 */
function hidesAnAct(words: string[], lead: number): boolean {
  const imperative = verbInText(words[0] ?? '') === undefined && OBJECT.test(words[1] ?? '');
  const appended = lead > 1 && /^(?:and|then)$/.test(words[lead - 1]!);
  const offers =
    (words[lead] ?? '').startsWith('provid') &&
    words.slice(lead + 1, lead + 6).some((word) => OFFERED.test(word));
  return (imperative && !OBJECT.test(words[0] ?? '')) || appended || offers;
}

/** "Current market data": a description without any verb that names something to look at. */
function thingLookedAt(words: string[]): Inference | undefined {
  const thing = words.slice(0, LEADING_WORDS).find((word) => READ_NOUNS.has(word) && word !== 'help');
  if (!thing || words.some((word) => verbInText(word) !== undefined)) return undefined;
  return { operation: 'read', reason: `its description only names "${thing}"` };
}

/** "Run this tool first", "Use when" are addressed to the reader and say nothing of the act, where the name has said it; nor does "Execute a SELECT". */
function leads(word: string, named: OperationType | undefined, selects: boolean): Verb | undefined {
  if (named && /^(?:run|use|call|start|begin)$/.test(word)) return undefined;
  if (named === 'read' && /^(?:executes?|runs|select)$/.test(word) && selects) return undefined;
  const verb = verbInText(word);
  return named === 'read' && verb && handsOut(verb.verb) ? undefined : verb;
}

/** "List, create or close a tab": verbs in a row from the leading one. */
function chained(words: string[], start: number): Verb[] {
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

/** "Offers ways to create …", "for managing …, where you can add, delete": where the name has no verb, every act in the sentence counts. */
function mentioned(words: string[]): Verb[] {
  return words.flatMap((word, i) => {
    const verb = INTRODUCES.test(words[i - 1] ?? '') ? verbInText(word) : undefined;
    return verb && !NOT_TELLING.some((test) => test(verb.verb)) ? [verb] : [];
  });
}

/** "Takes the next job. Removes it from the queue.": a clear act at the beginning of a later sentence casts doubt on a reader. */
function later(description: string, named: OperationType | undefined): Verb[] {
  const starts =
    /[.!?\n][^\S\n]*(?:[-*•]\s*)?(\p{L}+s)\s+(?:the|an?|all|any|it|them|its|their|this|every|each|your)\b/gu;
  return [...description.slice(0, MAX_LATER).toLowerCase().matchAll(starts)]
    .flatMap(([, word]) => verbInText(word!) ?? [])
    .filter(({ verb }) => isUnmistakable(verb))
    .map(({ verb, operation }) => ({ verb, operation: named === 'read' ? 'write' : operation }));
}

/** "… and deletes them", "then saves it": a second act later in the sentence, told from a noun by the object that follows. */
function added(sentence: string): Verb[] {
  const second =
    /\b(?:and|then)\s+(?:then\s+|also\s+)?(\p{L}+)\s+(?:it|them|its|their|the|a|an|your|all|any|every|each|new|to)\b/gu;
  const verbs = [...sentence.matchAll(second)].flatMap(([, word]) => verbInText(word!) ?? []);
  const participles = [...sentence.matchAll(/,\s*(?:also\s+)?(\p{L}+ing)\s/gu)].flatMap(
    ([, word]) => verbInText(word!) ?? [],
  );
  return [...verbs, ...participles.filter(({ verb }) => isUnmistakable(verb))];
}
