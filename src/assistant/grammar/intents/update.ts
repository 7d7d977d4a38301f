import type { TaskChange } from '../../../contract/chat.ts';
import { phrase } from '../../language/groups.ts';
import { matchAll, matchStart, textOf, type Phrase, type Slots, type Span } from '../../language/phrase.ts';
import { findTarget, type Target } from '../../language/reference.ts';
import { namesTask } from '../../language/words/nouns.ts';
import { timeEnds } from '../../language/words/times.ts';
import { unquote } from './new-task.ts';
import {
  APPEND,
  CORRECTION,
  DUE,
  INCLUDE,
  OPEN,
  PRIORITY,
  PRIORITY_OF,
  REPLACE,
  RETIME,
  SWAP,
  TOLD,
  UNDONE,
} from '../phrases/update.ts';
import type { Clause, Reading } from '../reading.ts';
import { firstTarget, isObject } from '../targets.ts';
import { strengthOfUpdate } from './update-strength.ts';

interface Shape {
  phrases: readonly Phrase[];
  change: (clause: Clause, slots: Slots) => TaskChange | undefined;
  /** Says nothing of tasks by itself, so the object must. */
  needsTask: boolean;
  /** Says of itself that a task is meant. */
  speaksOfTasks?: boolean;
}

const said = (clause: Clause, span: Span | undefined) =>
  span ? unquote(textOf(clause.clean, clause.tokens, span)) : '';

function replaced(clause: Clause, slots: Slots): TaskChange | undefined {
  const span = slots['new'] && withoutList(clause, slots['new']);
  const text = said(clause, span);
  if (!span || !text || /^\d{1,2}$/.test(text)) return undefined;
  const isWhen = timeEnds(clause.tokens, span[0], span[1])[0] === span[1];
  if (!isWhen && namesField(clause, slots)) return undefined;
  return { kind: isWhen ? 'when' : 'replace', text };
}

const FIELDS = new Set(
  'due date deadline time day hour priority status label details content notes'.split(' '),
);
/** "Change the status of X to Y": the text of X is not what is to change. */
function namesField({ tokens, core }: Clause, slots: Slots): boolean {
  const inside = (at: number, span: Span | undefined) => span !== undefined && at >= span[0] && at < span[1];
  return tokens.some(
    ({ word, quoted }, at) =>
      !quoted &&
      FIELDS.has(word) &&
      inside(at, core) &&
      !inside(at, slots['obj']) &&
      !inside(at, slots['new']),
  );
}

const ON_LIST = phrase('on|in|from|of @list');
/** "oat milk on my list": the list is no part of the new text. */
function withoutList({ tokens }: Clause, [from, to]: Span): Span {
  for (let i = from + 1; i < to; i++) if (matchStart(ON_LIST, tokens, [i, to]) === to) return [from, i];
  return [from, to];
}

function swapped(clause: Clause, slots: Slots): TaskChange | undefined {
  const [from, text] = [said(clause, slots['old']), said(clause, slots['new'])];
  return from && text ? { kind: 'swap', from, text } : undefined;
}

function appended(clause: Clause, slots: Slots): TaskChange | undefined {
  const text = said(clause, slots['new']);
  return text ? { kind: 'append', text } : undefined;
}

const SHAPES: readonly Shape[] = [
  { phrases: SWAP, change: swapped, needsTask: true },
  { phrases: PRIORITY_OF, change: () => undefined, needsTask: false, speaksOfTasks: true },
  { phrases: PRIORITY, change: () => undefined, needsTask: true },
  { phrases: INCLUDE, change: appended, needsTask: true },
  { phrases: DUE, change: replaced, needsTask: false, speaksOfTasks: true },
  { phrases: REPLACE, change: replaced, needsTask: false },
  { phrases: RETIME, change: replaced, needsTask: false },
  { phrases: APPEND, change: appended, needsTask: true },
  { phrases: OPEN, change: () => undefined, needsTask: true },
];

export function readUpdate(clause: Clause): Reading | undefined {
  if (clause.moods.has('negated')) return undefined;
  for (const shape of SHAPES) {
    const reading = readShape(clause, shape);
    if (reading) return reading;
  }
  return readUndone(clause) ?? readTold(clause) ?? readCorrection(clause);
}

function readShape(clause: Clause, shape: Shape): Reading | undefined {
  for (const item of shape.phrases) {
    const slots = matchAll(item, clause.tokens, clause.core);
    const target = slots && targetIn(clause, slots, item);
    if (!slots || !target) continue;
    const change = shape.change(clause, slots);
    if (change?.kind === 'append' && !mayAppend(clause, slots)) continue;
    const strength = shape.speaksOfTasks
      ? 'weak'
      : strengthOfUpdate({ clause, target, change, needsTask: shape.needsTask });
    if (strength)
      return {
        intent: 'UPDATE_TASK',
        strength,
        rule: 'changes a task',
        references: target.references,
        ...(change && { change }),
      };
  }
  return undefined;
}

function targetIn(clause: Clause, { obj }: Slots, { source }: Phrase): Target | undefined {
  if (!obj || !isObject(clause, obj, source.startsWith('{obj}'))) return undefined;
  if (source.startsWith('obj@position') && !isFirst(clause)) return undefined;
  return findTarget(clause.clean, clause.tokens, obj);
}

function mayAppend(clause: Clause, slots: Slots): boolean {
  return namesTask(clause.tokens, slots['obj']!) || appendsQuote(clause, slots);
}

const APPENDS = new Set(['append', 'tack', 'attach']);
/** 'append "and butter" to milk': the words in quotation marks can only be more of a text. */
function appendsQuote({ tokens, core }: Clause, slots: Slots): boolean {
  const added = tokens.slice(...(slots['new'] ?? [0, 0]));
  return APPENDS.has(tokens[core[0]]!.word) && added.length > 0 && added.every(({ quoted }) => quoted);
}

/** "5 to 8" in the middle of a sentence is no change. */
function isFirst({ tokens, whole }: Clause): boolean {
  return whole[0] === 0 || tokens[whole[0]]!.afterComma;
}

/** It is to be open again. */
function readUndone(clause: Clause): Reading | undefined {
  const found = firstTarget(clause, UNDONE);
  if (!found || clause.question) return undefined;
  const { references } = found.target;
  return { intent: 'UPDATE_TASK', strength: 'strong', rule: 'reopens a task', references };
}

function readTold(clause: Clause): Reading | undefined {
  const found = firstTarget(clause, TOLD);
  const change = found && (found.slots['old'] ? swapped(clause, found.slots) : replaced(clause, found.slots));
  if (!found || !change || clause.question) return undefined;
  const strength = namesTask(clause.tokens, clause.core) ? 'weak' : 'unsure';
  return {
    intent: 'UPDATE_TASK',
    strength,
    rule: 'says that it has changed',
    references: found.target.references,
    change,
  };
}

function readCorrection(clause: Clause): Reading | undefined {
  for (const item of CORRECTION) {
    const slots = matchAll(item, clause.tokens, clause.core);
    const change = slots && (slots['old'] ? swapped(clause, slots) : replaced(clause, slots));
    // "Wrong one, I meant bread" mentions another task, not of another text.
    if (change && !clause.tokens.some(({ word }) => word === 'wrong'))
      return {
        intent: 'UPDATE_TASK',
        strength: 'unsure',
        rule: 'corrects what was said',
        references: [{ kind: 'recent', text: 'it' }],
        change,
      };
  }
  return undefined;
}
