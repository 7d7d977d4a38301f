import type { IntentType, MessageClause } from '../../contract/chat.ts';
import type { KnownTask } from '../context.ts';
import { isBareNoun, isNounPhrase } from '../grammar/guards.ts';
import { isWork } from '../grammar/title-checks.ts';
import { toClause } from '../grammar/grammar.ts';
import { titleText } from '../grammar/intents/new-task.ts';
import type { Clause } from '../grammar/reading.ts';
import { normalise } from '../language/normalise.ts';
import type { Span } from '../language/phrase.ts';
import type { Message, Token } from '../language/token.ts';
import { ACTION_VERBS } from '../language/words/action-verbs.ts';
import { FOREIGN } from '../language/words/foreign.ts';
import { ambiguous } from '../read/user-intent.ts';
import { tasksWithTitle } from './match-title.ts';

const set = (text: string) => new Set(text.split(/\s+/));

/** A command that is incomplete, but clear enough for a specific question. */
export function readIncompleteCommand(
  { clean, sentences: [sentence, another] }: Message,
  tasks: readonly KnownTask[],
): MessageClause | undefined {
  if (!sentence || another || sentence.question) return undefined;
  const clause = toClause(clean, sentence, [0, sentence.tokens.length]);
  if (clause.moods.has('negated') || clause.core[1] <= clause.core[0]) return undefined;
  return (
    readVerbAlone(clause) ??
    readOwnTitle(clause, tasks) ??
    readCreation(clause) ??
    readDuty(clause) ??
    readWanted(clause)
  );
}

const WANTED =
  /^(?:(?:also|plus|and|and also|oh and)[ ,]+(?<also>.+?)|(?<title>.+?),? (?:pls|plz|please))[\s.!]*$/iu;
/** "Wash the car pls", "also washing powder": something to do or to get. It may be meant for another program, so it is asked. */
function readWanted({ clean, moods }: Clause): MessageClause | undefined {
  const { also, title = also } = WANTED.exec(clean.trim())?.groups ?? {};
  if (title === undefined || moods.has('request')) return undefined;
  const message = normalise(title);
  if (!(also !== undefined && isBareNoun(message)) && !isPlainDeed(message)) return undefined;
  const reasons = ['names something to do or to get'];
  const reference = { kind: 'title', text: title } as const;
  return { text: clean.trim(), user_intent: ambiguous(['CREATE_TASK']), reasons, reference };
}

function isPlainDeed({ sentences: [sentence] }: Message): boolean {
  const words = sentence?.tokens ?? [];
  if (words.length < 2 || !isDeed(words[0]!)) return false;
  return isNounPhrase(words, [0, words.length]) && !words.some(isOfOthers);
}

const SAYING = set('speak say talk answer reply tell ask sing read');
const isDeed = ({ word }: Token) => ACTION_VERBS.has(word) && !SAYING.has(word);
const isOfOthers = ({ word }: Token) => FOREIGN.has(word) || word === 'me';

const CHANGES = set('rename retitle relabel change update edit modify reword rephrase rewrite');
const DELETES = set('delete remove erase');
/** "Rename", "delete", without a task. */
function readVerbAlone(clause: Clause): MessageClause | undefined {
  const { tokens, core } = clause;
  const { word, quoted } = tokens[core[0]]!;
  if (core[1] - core[0] > 1 || quoted) return undefined;
  if (DELETES.has(word))
    return unclear({ ...clause, clean: '' }, ['DELETE_TASK'], {
      reason: 'deletes a task, without saying which',
    });
  return CHANGES.has(word)
    ? unclear(clause, ['UPDATE_TASK'], { reason: 'changes a task, without saying which' })
    : undefined;
}

const OF_A_TASK: IntentType[] = ['COMPLETE_TASK', 'UPDATE_TASK', 'DELETE_TASK'];
/** "Change the tires", if a task has this title. */
function readOwnTitle(clause: Clause, tasks: readonly KnownTask[]): MessageClause | undefined {
  const [task] = tasksWithTitle(clause.clean, tasks);
  return task && unclear(clause, OF_A_TASK, { reason: 'is the title of a task', title: task.description });
}

const OBJECTS = set('a an the my our some');
/** "Make a wish" is not a task. */
const SAID_ONLY = set('joke wish guess choice decision difference sound noise mistake face deal');
/** "Create a birthday cake" may be a task. What other programs create is small talk. */
function readCreation(clause: Clause): MessageClause | undefined {
  const { tokens, core, moods } = clause;
  const [at, end] = core;
  if (moods.has('wish') || moods.has('duty') || !startsWithMaking(tokens, core)) return undefined;
  const from = tokens[at + 2]!.word === 'new' && end - at > 3 ? at + 3 : at + 2;
  if (SAID_ONLY.has(tokens[from]!.word) || isWork(tokens, [from, end])) return undefined;
  const title = titleText(clause, [tokens[at]!.word === 'create' ? at + 1 : at, end]);
  return unclear(clause, ['CREATE_TASK'], { reason: 'names something to be made', title });
}

/** "I have to say …" tells something. */
const TOLD = set(
  'say admit be confess think know believe agree disagree wonder have see feel ask tell stop love like hate go get live wait laugh cry eat sleep die start keep deal put look come',
);
/** "I must swap the tires": a duty, which may be meant for the list. */
function readDuty(clause: Clause): MessageClause | undefined {
  const { tokens, core, moods } = clause;
  const isOwn = moods.has('duty') && tokens[0]!.word === 'i';
  if (!isOwn || core[1] - core[0] < 2 || TOLD.has(tokens[core[0]]!.word)) return undefined;
  return unclear(clause, ['CREATE_TASK'], { reason: 'names a duty', title: titleText(clause, core) });
}

function startsWithMaking(tokens: readonly Token[], [at, end]: Span): boolean {
  const [verb, article] = [tokens[at]!.word, tokens[at + 1]?.word ?? ''];
  return (verb === 'create' || verb === 'make') && OBJECTS.has(article) && end - at >= 3;
}

function unclear(
  { clean }: Clause,
  possible: readonly IntentType[],
  { reason, title }: { reason: string; title?: string },
): MessageClause {
  return {
    text: clean.trim(),
    user_intent: ambiguous(possible),
    reasons: [reason],
    ...(title !== undefined && { reference: { kind: 'title', text: title } }),
  };
}
