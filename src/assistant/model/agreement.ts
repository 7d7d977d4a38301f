import { isBareNoun } from '../grammar/guards.ts';
import { type ReadClause, isStrong, type Clause, type Reading, type TaskIntent } from '../grammar/reading.ts';
import { toClause, isCapabilityQuestion } from '../grammar/grammar.ts';
import { supportFor, type Support } from '../grammar/evidence.ts';
import { looseReading, findReading } from '../grammar/loose-reading.ts';
import type { Message, Sentence } from '../language/token.ts';
import { featuresOf } from './features.ts';
import { CLASSES, type Model, type Scores } from './model.ts';

type Strength = Reading['strength'];
/** How sure the model must be: its lead over chat, or over another intent. Tuned on public messages, each source with a model that was not trained on it. */
export const THRESHOLDS = {
  /** Required lead over chat before a reading counts. */
  ahead: { certain: -420, strong: -100, weak: 20, unsure: 20 } as Record<Strength, number>,
  /** How far another task intent may be ahead of it. */
  behind: { certain: 320, strong: 230, weak: -10, unsure: 80 } as Record<Strength, number>,
  /** A list is only read, so a request for it may be less certain. */
  listAhead: { certain: -300, strong: -5, weak: -60, unsure: -60 } as Record<Strength, number>,
  listBehind: 320,
  /** Where no rule reads a sentence. */
  alone: {
    CREATE_TASK: 150,
    LIST_TASKS: 160,
    COMPLETE_TASK: 120,
    UPDATE_TASK: 150,
    DELETE_TASK: 100,
  } as Record<TaskIntent, number>,
  /** Adjusted by what the words support. */
  support: { named: -90, allowed: -70, own: -40, foreign: 20, none: Infinity } as Record<Support, number>,
  aloneBeforeRival: -10,
  /** Required lead before a question is asked. */
  asked: 120,
  /** Below this lead over chat not even a question is asked. */
  worth: { certain: -600, strong: -180, weak: -100, unsure: -100 } as Record<Strength, number>,
};
/** The lead that gives full confidence. */
const FULL_LEAD = 400;

/** A clause on which grammar and model agree. */
export interface Agreed {
  clause: Clause;
  reading: Reading;
  confidence: number;
  reasons: string[];
}
/** A clause that only the grammar or only the model reads as a task. */
export interface Disputed {
  clause: Clause;
  intent: TaskIntent;
  reasons: string[];
  reading?: Reading;
}
export interface Agreement {
  agreed: Agreed[];
  /** To be asked about. Beside agreed clauses only commands are kept: a report may stay unanswered, a command may not. */
  disputed: Disputed[];
}

export interface Scored {
  clause: Clause;
  reading: Reading;
  scores: Scores;
}

/** The scores of the whole message, and of each clause that a rule reads. */
export interface Weighed {
  whole: Scores;
  scored: Scored[];
}

/** Combines grammar and model: something is only done if both agree. */
export function agreeOn(text: Message, read: readonly ReadClause[], model: Model): Agreement {
  return settle(text, weigh(text, read, model));
}

export function weigh(text: Message, read: readonly ReadClause[], model: Model): Weighed {
  const whole = model.scores(featuresOf(text));
  const scored = read.flatMap(({ clause, reading, cut }): Scored[] => {
    const alone = (read.length === 1 && !cut) || (reading !== undefined && onlyPoints(reading));
    return reading ? [{ clause, reading, scores: alone ? whole : scoresOf(clause, model) }] : [];
  });
  return { whole, scored };
}

export function settle(text: Message, { whole, scored }: Weighed): Agreement {
  const agreed = scored.filter((item) => agrees(item)).map(accept);
  const sure = agreed.length === 0 ? sureOf(whole) : undefined;
  const first = sure && !scored.some((item) => contradicts(item, sure)) && modelFirst(text, sure, whole);
  if (first) return first;
  const open = scored.filter(
    (item) => !agrees(item) && isWorthAsking(item) && (agreed.length === 0 || isOrder(item)),
  );
  return { agreed, disputed: open.map(dispute) };
}

/** "… please remove it": the rest of the message names the task. */
function onlyPoints({ strength, references }: Reading): boolean {
  return !isStrong(strength) && references?.every(({ kind }) => kind === 'recent') === true;
}

/** A strong reading of another intent: then the model alone is not enough, unless its lead is large. */
function contradicts({ reading: { intent, strength }, scores }: Scored, sure: TaskIntent): boolean {
  return (
    intent !== sure && isStrong(strength) && scores[sure] - scores[intent] <= THRESHOLDS.behind[strength]
  );
}

function isWorthAsking({ reading, scores }: Scored): boolean {
  return scores[reading.intent] - scores.GENERAL_CHAT > THRESHOLDS.worth[reading.strength];
}

function isOrder({ reading: { intent, strength }, clause: { moods, core, whole } }: Scored): boolean {
  const plain = core[0] === whole[0] || moods.has('request');
  return plain && (intent === 'DELETE_TASK' || (intent === 'UPDATE_TASK' && strength !== 'unsure'));
}

function dispute({ clause, reading }: Scored): Disputed {
  return { clause, reading, intent: reading.intent, reasons: [reading.rule, 'also sounds like small talk'] };
}

function scoresOf({ tokens, whole, question }: Clause, model: Model): Scores {
  return model.scores(featuresOf({ sentences: [{ tokens: tokens.slice(...whole), question }] }));
}

/** A plain command needs no agreement of the model. */
function agrees({ scores, reading: { intent, strength, command } }: Scored): boolean {
  if (command) return true;
  const list = intent === 'LIST_TASKS';
  const ahead = (list ? THRESHOLDS.listAhead : THRESHOLDS.ahead)[strength];
  if (scores[intent] - scores.GENERAL_CHAT < ahead) return false;
  return (
    rival(scores, intent) - scores[intent] <= (list ? THRESHOLDS.listBehind : THRESHOLDS.behind[strength])
  );
}

function rival(scores: Scores, intent: TaskIntent): number {
  return Math.max(
    ...CLASSES.filter((name) => name !== intent && name !== 'GENERAL_CHAT').map((name) => scores[name]),
  );
}

function accept({ clause, reading, scores }: Scored): Agreed {
  const confidence = reading.command ? 1 : confidenceOf(scores, reading.intent);
  return { clause, reading, confidence, reasons: [reading.rule] };
}

/** 0.5 at equal scores, 1 at the full lead. */
function confidenceOf(scores: Scores, intent: TaskIntent): number {
  const lead = Math.max(-FULL_LEAD, Math.min(FULL_LEAD, scores[intent] - scores.GENERAL_CHAT));
  return Math.round(50 + (50 * lead) / FULL_LEAD) / 100;
}

/** The task intent that the model prefers, if any. */
function sureOf(scores: Scores): TaskIntent | undefined {
  const [best, second] = [...CLASSES].sort((a, b) => scores[b] - scores[a]);
  if (best === undefined || second === undefined || best === 'GENERAL_CHAT') return undefined;
  return scores[best] - scores[second] >= THRESHOLDS.aloneBeforeRival ? best : undefined;
}

/** A name or a single word: too little for the model. */
function saysTooLittle(text: Message): boolean {
  return isBareNoun(text) || text.sentences.every(({ tokens }) => tokens.length < 2);
}

/** "Can you delete tasks?" is a question about abilities. */
function asksAbility({ clean }: Message, sentence: Sentence): boolean {
  return isCapabilityQuestion(toClause(clean, sentence, [0, sentence.tokens.length]));
}

/** No rule reads the message, but the model is sure: accepts it if the words support it, else asks. */
function modelFirst(text: Message, intent: TaskIntent, scores: Scores): Agreement | undefined {
  if (saysTooLittle(text) || text.sentences.some((sentence) => asksAbility(text, sentence))) return undefined;
  const lead = scores[intent] - scores.GENERAL_CHAT;
  if (lead < Math.min(THRESHOLDS.asked, THRESHOLDS.alone[intent] + THRESHOLDS.support.named))
    return undefined;
  const enough =
    lead >= THRESHOLDS.alone[intent] + THRESHOLDS.support[supportFor(text.sentences, intent, lead)];
  if (!enough && lead < THRESHOLDS.asked) return undefined;
  const allowed = enough ? text.sentences : [];
  const read = allowed.map((sentence) => ({
    clause: toClause(text.clean, sentence, [0, sentence.tokens.length]),
    loose: findReading(text.clean, sentence, intent) ?? looseReading(text.clean, sentence, intent),
  }));
  const best = read.find(({ loose }) => loose.references ?? loose.descriptions) ?? read[0];
  if (best) {
    const { clause, loose } = best;
    return { agreed: [accept({ clause, reading: loose, scores })], disputed: [] };
  }
  const [first] = text.sentences;
  const clause = toClause(text.clean, first!, [0, first!.tokens.length]);
  return { agreed: [], disputed: [{ clause, intent, reasons: ['sounds like it, but no rule says so'] }] };
}
