import type { Token } from '../language/token.ts';
import type { Span } from '../language/phrase.ts';
import { isTaskNoun, namesOwnList } from '../language/words/nouns.ts';
import { ADDS, ASKS_FOR_NEW } from './intents/create.ts';
import { PUTS_ON_LIST, titleText } from './intents/new-task.ts';
import type { Clause, Reading } from './reading.ts';
import { isMade, isNotTitle, TO_TEXT } from './title-checks.ts';

const set = (text: string) => new Set(text.split(/\s+/));

/**
 * "Add X" adds X, whatever X is about: a plain command with a verb of adding in front is decisive, and the model is not asked. Only what
 * says itself that it is no command to a list stays out: sums, what goes into something else, and talk.
 */
export function readAddCommand(clause: Clause, reading: Reading | undefined): Reading | undefined {
  if (!isPlainOrder(clause)) return undefined;
  if (reading && isNamedForm(clause, reading)) return { ...reading, command: true };
  const what = objectOf(clause);
  if (!what || isNotTitle(clause, what, reading)) return undefined;
  const description = titleText(clause, what);
  if (!description) return undefined;
  return {
    intent: 'CREATE_TASK',
    strength: reading?.intent === 'CREATE_TASK' ? reading.strength : 'weak',
    rule: ADDS,
    descriptions: [description],
    command: true,
  };
}

const WISHED = set('want like love let can could may');
/** "I will add salt" tells of something; "I would like to add salt" asks for it. */
function isPlainOrder({ tokens, core, whole, moods, question }: Clause): boolean {
  if (moods.has('negated') || moods.has('duty')) return false;
  if (moods.has('wish') && !tokens.slice(whole[0], core[0]).some(({ word }) => WISHED.has(word)))
    return false;
  return !question || moods.size > 0;
}

const MAKES = set('add create make new another put set');
const SELF = set('me us myself');
/** The command names the list, a task, or the wish to be reminded. */
function isNamedForm({ tokens, core }: Clause, { intent, rule, descriptions }: Reading): boolean {
  if (intent !== 'CREATE_TASK' || !descriptions) return false;
  if (rule === PUTS_ON_LIST) return namesOwnList(tokens, core);
  const first = tokens[core[0]]!.word;
  if (first === 'remind') return remindsSelf(tokens, core[0]);
  return (
    (first === 'add' && rule === ASKS_FOR_NEW) || startsWithTodo(tokens, core[0]) || makesTask(tokens, core)
  );
}

/** "Remind me to …". */
function remindsSelf(tokens: readonly Token[], at: number): boolean {
  return SELF.has(tokens[at + 1]?.word ?? '') && tokens[at + 2]?.word === 'to';
}

/** "Todo …", "reminder: …". */
function startsWithTodo(tokens: readonly Token[], at: number): boolean {
  const { word } = tokens[at]!;
  return word === 'todo' || (word === 'reminder' && tokens[at + 1]?.word === ':');
}

/** "Add a task …", "make a task called …". */
function makesTask(tokens: readonly Token[], [at, end]: Span): boolean {
  const { word } = tokens[at]!;
  if (!MAKES.has(word)) return false;
  let i = at + 1;
  while (i < end && ARTICLES.has(tokens[i]!.word)) i++;
  if (i >= end || !isTaskNoun(tokens[i]!.word) || tokens[i]!.quoted) return false;
  return ADDS_TASK.has(word) || TO_TEXT.has(tokens[i + 1]?.word ?? '');
}
const ADDS_TASK = set('add create new');
const ARTICLES = set('a an another new one more quick me the following my');

const DOWN = set('jot note write take');
/** The words after a leading verb of adding. */
function objectOf({ tokens, core: [at, end] }: Clause): Span | undefined {
  const verb = addingVerb(tokens, at);
  if (!verb) return undefined;
  let from = at + verb.length;
  while (from < end && tokens[from]!.word === ':') from++;
  if (from >= end) return undefined;
  const isOther = !tokens[from]!.quoted && isOtherObject(verb.text, tokens, [from, end]);
  return isOther ? undefined : [from, end];
}

const ADDING = set('add adding create note');
/** The verb of adding that the clause starts with, and how many words it has. */
function addingVerb(tokens: readonly Token[], at: number): { text: string; length: number } | undefined {
  const { word } = tokens[at]!;
  if (DOWN.has(word) && tokens[at + 1]?.word === 'down') return { text: `${word} down`, length: 2 };
  return ADDING.has(word) ? { text: word, length: 1 } : undefined;
}

const REMARKED = set(
  'that the this these those how what why when where who which if your my our its one two three any',
);
/** A work to be made ("create a story"), or a remark ("note the irony"). */
function isOtherObject(verb: string, tokens: readonly Token[], span: Span): boolean {
  if (verb === 'create') return isMade(tokens, span);
  return verb === 'note' && REMARKED.has(tokens[span[0]]!.word);
}
