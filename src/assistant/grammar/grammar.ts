import { findOrder } from '../language/carriers.ts';
import type { Sentence, Token } from '../language/token.ts';
import { phrase } from '../language/groups.ts';
import { matchStart, type Span } from '../language/phrase.ts';
import { ADD, CHANGE, DELETE, FINISH, MAKE, SHOW } from '../language/words/verbs.ts';
import { readAddCommand } from './add-command.ts';
import { readComplete } from './intents/complete.ts';
import { readCreate, readNewTask, readOnList } from './intents/create.ts';
import { readDelete, readUnwanted } from './intents/delete.ts';
import { isNotOrder } from './guards.ts';
import { readList, readWhether } from './intents/list.ts';
import { isStrong, type Clause, type Reading } from './reading.ts';
import { toActiveVoice } from './passive-voice.ts';
import { readUpdate } from './intents/update.ts';

const set = (text: string) => new Set(text.split(/\s+/));

/** The order is part of the grammar: "check milk off my list" must not be read as a wish to see the list. */
const RULES = [
  readWhether,
  readNewTask,
  readComplete,
  readOnList,
  readUpdate,
  readDelete,
  readCreate,
  readList,
];

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

/** What the clause wants of the task list; undefined if it is about something else. */
export function readClause(clause: Clause): Reading | undefined {
  if (clause.moods.has('negated') || isNotOrder(clause.tokens, clause.whole)) return readCore(clause);
  const turned = readPassive(clause);
  if (turned && isStrong(turned.strength)) return turned;
  const plain = readCore(clause);
  if (plain && (isStrong(plain.strength) || !turned)) return plain;
  return turned ?? (isQuestion(clause) ? undefined : readLater(clause));
}

/** "Can the milk one be crossed off?" as "cross the milk one off". What is only a weak reading then is none. */
function readPassive(clause: Clause): Reading | undefined {
  const turned = toActiveVoice(clause);
  const reading = turned && readOrder(turned);
  if (!reading || reading.strength === 'unsure') return undefined;
  return withoutCommand(reading);
}

/** Read in another order of words, or in the middle of others, it is no plain command any more. */
export function withoutCommand({ command: _form, ...reading }: Reading): Reading {
  return reading;
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

const LIST_FIRST = phrase('@list :? please? now@order');
/** "Shopping list: delete milk" as "delete milk". */
function afterList(clause: Clause): Clause | undefined {
  const { tokens, core } = clause;
  const end = matchStart(LIST_FIRST, tokens, core);
  return end === undefined || end >= core[1]
    ? undefined
    : { ...clause, core: [end - 1, core[1]], whole: [end - 1, core[1]] };
}

/** Applies the rules to the core of the clause. */
export function readCore(clause: Clause): Reading | undefined {
  if (clause.core[1] <= clause.core[0]) return undefined;
  const order = afterList(clause);
  const ordered = order && readOrder(order);
  if (order) return ordered && { ...ordered, strength: 'strong' };
  if (isNotOrder(clause.tokens, clause.whole)) return readList(clause);
  if (isCapabilityQuestion(clause)) return undefined;
  if (isQuestion(clause)) return readWhether(clause) ?? readList(clause);
  const unwanted = readUnwanted(clause);
  return unwanted || clause.moods.has('negated') ? unwanted : readOrder(clause);
}

const GERUNDS = new Set([...ADD, ...MAKE, ...CHANGE, ...DELETE, ...FINISH, ...SHOW]);

const SAY_NOTHING = set(
  `i you we can could would will want wanted need like just please kindly request that ask asking to so ok actually know what really it be great
   nice good if able the way a favour favor do me for go and ahead also then now well maybe quickly might may am is thing more should shall let
   us of here my one all right help make sure have got try get love appreciate wish`,
);
const MOST_SKIPPED = 8;
/** The command may stand after words that no list of carrier phrases foresees, as long as they say nothing by themselves. */
function readLater(clause: Clause): Reading | undefined {
  const { tokens, core } = clause;
  for (let from = core[0] + 1; from < core[1] && from <= core[0] + MOST_SKIPPED; from++) {
    if (!SAY_NOTHING.has(tokens[from - 1]!.word)) return undefined;
    if (SAY_NOTHING.has(tokens[from]!.word)) continue;
    const reading = readCore({
      ...clause,
      whole: [from, core[1]],
      core: [from, core[1]],
      moods: new Set(['request']),
    });
    if (reading)
      return { ...withoutCommand(reading), strength: isStrong(reading.strength) ? 'weak' : 'unsure' };
  }
  return undefined;
}

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
