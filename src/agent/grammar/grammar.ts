import { findCore } from '../carriers.ts';
import type { Sentence, Token } from '../normalise.ts';
import type { Span } from '../phrase.ts';
import { readComplete } from './complete.ts';
import { readCreate, readNewTask } from './create.ts';
import { readDelete } from './delete.ts';
import { isNoOrder } from './guards.ts';
import { readList, readWhether } from './list.ts';
import type { Clause, Reading } from './reading.ts';
import { readUpdate } from './update.ts';

/** The order is part of the grammar: "check milk off my list" must not be read as a wish to see the list. */
const RULES = [readWhether, readNewTask, readComplete, readUpdate, readDelete, readCreate, readList];

export function clauseOf(clean: string, sentence: Sentence, span: Span): Clause {
  const core = findCore(sentence.tokens, span);
  return {
    clean,
    tokens: sentence.tokens,
    whole: [core.start, core.span[1]],
    core: core.span,
    moods: core.moods,
    asked: core.asked,
    question: sentence.question,
  };
}

const LEADS = new Set(
  `i you we can could would will want wanted need like just please kindly request that ask asking to so ok actually know what really it be great nice good if able
   the way a favour favor do me for go and ahead also then now well maybe quickly might may am is thing more not-yet should shall let us of here my one all right
   help make sure have got try get love appreciate wish`.split(/\s+/),
);
const MOST_LEADS = 8;

/** What the clause wants of the task list; nothing where it is about something else. */
export function readClause(clause: Clause): Reading | undefined {
  const plain = readFrom(clause);
  if (plain || clause.moods.has('negated') || isNoOrder(clause.tokens, clause.whole) || isQuestion(clause))
    return plain;
  return readLater(clause);
}

/** The order may stand behind words that no list of carrier phrases foresees, as long as they say nothing by themselves. */
function readLater(clause: Clause): Reading | undefined {
  const { tokens, core } = clause;
  for (let from = core[0] + 1; from < core[1] && from <= core[0] + MOST_LEADS; from++) {
    if (!LEADS.has(tokens[from - 1]!.word)) return undefined;
    if (LEADS.has(tokens[from]!.word)) continue;
    const reading = readFrom({
      ...clause,
      whole: [from, core[1]],
      core: [from, core[1]],
      moods: new Set(['request']),
    });
    if (reading) return { ...reading, strength: reading.strength === 'strong' ? 'weak' : 'unsure' };
  }
  return undefined;
}

function readFrom(clause: Clause): Reading | undefined {
  if (clause.core[1] <= clause.core[0]) return undefined;
  if (isNoOrder(clause.tokens, clause.whole)) return readList(clause);
  if (isCapability(clause)) return undefined;
  if (isQuestion(clause)) return readWhether(clause) ?? readList(clause);
  for (const read of RULES) {
    const reading = read(clause);
    if (reading)
      return clause.moods.has('negated') &&
        reading.rule !== 'does not want to be reminded' &&
        reading.rule !== 'is no longer needed'
        ? undefined
        : reading;
  }
  return undefined;
}

const QUESTION_HEADS = new Set(
  'what which who whom whose when where why how is are was were does did am any anything'.split(' '),
);
const ASKS_SELF = new Set('do have had has will would should can could may shall'.split(' '));
/** Begins like a question about the person or the list: whatever verbs follow, nothing is to be changed. */
function isQuestion({ tokens, whole, moods }: Clause): boolean {
  if (moods.size > 0) return false;
  const [first, second] = [tokens[whole[0]]!.word, tokens[whole[0] + 1]?.word ?? ''];
  return (
    QUESTION_HEADS.has(first) ||
    (ASKS_SELF.has(first) && ['i', 'we', 'my', 'the', 'you', 'there', 'any'].includes(second))
  );
}

const BARE_PLURALS = new Set(['tasks', 'todos', 'reminders', 'chores', 'items', 'things']);
/** "Can you delete tasks?" asks what the assistant is able to do. */
function isCapability({ tokens, core, whole }: Clause): boolean {
  if (core[0] === whole[0] || !startsAsQuestion(tokens, whole)) return false;
  const [, object, ...rest] = tokens.slice(...core);
  return (
    object !== undefined &&
    BARE_PLURALS.has(object.word) &&
    rest.length < 3 &&
    tokens[core[0]]!.word !== 'show' &&
    tokens[core[0]]!.word !== 'list'
  );
}

function startsAsQuestion(tokens: readonly Token[], [from]: Span): boolean {
  return ['can', 'could', 'are', 'do', 'is', 'may', 'would', 'will', 'am'].includes(tokens[from]!.word);
}
