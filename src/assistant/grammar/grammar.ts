import { findOrder } from '../language/carriers.ts';
import type { Sentence, Token } from '../language/token.ts';
import type { Span } from '../language/phrase.ts';
import { ADD, CHANGE, DELETE, FINISH, MAKE, SHOW } from '../language/words/verbs.ts';
import { readAddCommand } from './add-command.ts';
import { readAsked, readChange, readUnwanted } from './intents/change.ts';
import { readCreate, readNewTask, readOnList } from './intents/create.ts';
import { isNotOrder } from './guards.ts';
import { readList, readWhether } from './intents/list.ts';
import type { Clause, Reading } from './reading.ts';

const set = (text: string) => new Set(text.split(/\s+/));

/** The order is part of the grammar: "check milk off my list" must not be read as a wish to see the list. */
const RULES = [readWhether, readNewTask, readOnList, readChange, readCreate, readList];

export function toClause(clean: string, { tokens, question }: Sentence, span: Span): Clause {
  const core = findOrder(tokens, span);
  return {
    clean,
    tokens,
    whole: [core.start, core.span[1]],
    core: core.span,
    moods: core.moods,
    asked: core.asked,
    question,
  };
}

/** "Completing tasks makes me happy" is no command; "would you mind completing task 2" is one. */
function isGerund({ tokens, core, moods }: Clause): boolean {
  const { word } = tokens[core[0]]!;
  return word.endsWith('ing') && word !== 'bring' && GERUNDS.has(word) && !moods.has('request');
}

function readOrder(clause: Clause): Reading | undefined {
  if (isGerund(clause)) return undefined;
  const reading = readByRules(clause);
  return readAddCommand(clause, reading) ?? reading;
}

function readByRules(clause: Clause): Reading | undefined {
  for (const read of RULES) {
    const reading = read(clause);
    if (reading) return reading;
  }
  return undefined;
}

/** What the clause wants of the task list; undefined if it is about something else. */
export function readClause(clause: Clause): Reading | undefined {
  if (clause.core[1] <= clause.core[0]) return undefined;
  if (isNotOrder(clause.tokens, clause.whole)) return readList(clause);
  if (isCapabilityQuestion(clause)) return undefined;
  if (isQuestion(clause)) return readWhether(clause) ?? readAsked(clause) ?? readList(clause);
  const unwanted = readUnwanted(clause);
  return unwanted || clause.moods.has('negated') ? unwanted : readOrder(clause);
}

const GERUNDS = new Set([...ADD, ...MAKE, ...CHANGE, ...DELETE, ...FINISH, ...SHOW]);

const QUESTION_HEADS = set(
  'what which who whom whose when where why how is are was were does did am any anything',
);
const AUXILIARIES = set('do have had has will would should can could may shall');
const SUBJECTS = set('i we my the you there any');
/** Begins like a question about the person or the list: whatever verbs follow, nothing is to be changed. */
export function isQuestion({ tokens, whole, moods }: Clause): boolean {
  if (moods.size > 0) return false;
  const [first, second] = [tokens[whole[0]]!.word, tokens[whole[0] + 1]?.word ?? ''];
  return QUESTION_HEADS.has(first) || (AUXILIARIES.has(first) && SUBJECTS.has(second));
}

const BARE_PLURALS = set('tasks todos reminders chores items things numbers fractions sums figures');
const ASKING_HEADS = set('can could are do is may would will am');
/** "Can you delete tasks?" asks what the assistant is able to do. */
export function isCapabilityQuestion({ tokens, core, whole }: Clause): boolean {
  if (core[0] === whole[0] || !ASKING_HEADS.has(tokens[whole[0]]!.word)) return false;
  const [verb, object, ...rest] = tokens.slice(...core);
  return object !== undefined && BARE_PLURALS.has(object.word) && rest.length < 3 && !isShow(verb!);
}

function isShow({ word }: Token): boolean {
  return word === 'show' || word === 'list';
}
