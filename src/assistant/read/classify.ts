import {
  MESSAGE_MAX_LENGTH,
  type ChatMessage,
  type Classification,
  type IntentType,
  type MessageClause,
  type UserIntent,
} from '../../contract/chat.ts';
import {
  cancelsPending,
  endsWithNo,
  isDenial,
  isHalfYes,
  isPlainNo,
  isUndecided,
  isWeakYes,
  readAnswer,
  startsWithSureYes,
} from './yes-or-no.ts';
import { readIncompleteCommand } from '../command/incomplete-commands.ts';
import { readListQuestion } from '../command/list-questions.ts';
import { readOther } from '../edit/other-task.ts';
import { readEdit, readReopening } from '../edit/read-edit.ts';
import { readAddForm, splitRow } from '../command/add-forms.ts';
import { readCommands } from '../command/commands.ts';
import { readUnknownTask } from '../command/orders.ts';
import { readNews, spelledOut } from '../command/whole-message.ts';
import type { KnownTask, DecisionContext } from '../context.ts';
import { isBareNoun, isPromptInjection } from '../grammar/guards.ts';
import { helpInLanguageOf } from '../reply/languages.ts';
import { asksToSort, isPraise } from '../reply/small-talk.ts';
import { readMessage } from '../grammar/clauses.ts';
import { readCorrectedTarget, mergeClauses } from '../grammar/merge.ts';
import type { ReadClause } from '../grammar/reading.ts';
import { normalise } from '../language/normalise.ts';
import type { Message } from '../language/token.ts';
import { shippedModel, type Model } from '../model/model.ts';
import { agreeOn, type Agreement } from '../model/agreement.ts';
import { ambiguous, fromClauses, fromAgreement, plain, single } from './user-intent.ts';

export interface ClassifyInput {
  message: string;
  history?: readonly ChatMessage[];
  /** The pending delete. */
  pending?: { task_id?: string; task_description: string; reminded?: true };
  /** The list, if it was read: a command verb with a title of the list is decisive. */
  tasks?: readonly KnownTask[];
  /** The task mentioned last, and the list shown last. */
  recent?: string;
  shown?: readonly string[];
  /** `tasks` are not all that there are. */
  partial?: boolean;
}

/** The intent of a message. Pure: the same input gives the same result. */
export function classify(input: ClassifyInput, model: Model = shippedModel()): Classification {
  const read = classifyAlone(input, model);
  const { intent_type } = read.user_intent;
  if (intent_type === 'CREATE_TASK') return withRows(read);
  const isOpen = intent_type === 'GENERAL_CHAT' || intent_type === 'AMBIGUOUS';
  return (isOpen && !input.pending ? readContinued(input, model) : undefined) ?? read;
}

/** "Add pay rent, call mom and buy milk": a row of things to do, each with its own verb, is several tasks. */
function withRows(read: Classification): Classification {
  const clauses = read.clauses.flatMap((clause) => splitRow(clause));
  return clauses.length > read.clauses.length ? { ...fromClauses(clauses), reasons: read.reasons } : read;
}

const CONTINUES =
  /^(?:and|also|oh and|and also|plus|then|and then)[ ,]+(?<more>(?!so\b|what\b|how\b|why\b|you\b|i\b|it\b).{2,200})$/i;
/** "And get stamps", right after something was added. */
function readContinued({ history, ...input }: ClassifyInput, model: Model): Classification | undefined {
  const more = CONTINUES.exec(input.message.trim())?.groups?.['more'];
  const before = more === undefined ? undefined : history?.findLast(({ role }) => role === 'user')?.content;
  if (before === undefined || intentOf(before, model) !== 'CREATE_TASK') return undefined;
  const read = classifyAlone({ ...input, message: `add ${more}` }, model);
  return read.user_intent.intent_type === 'CREATE_TASK' ? withRows(read) : undefined;
}

function intentOf(message: string, model: Model): IntentType {
  return classifyAlone({ message }, model).user_intent.intent_type;
}

/** "The hall's done": a title, and that it is done. */
const CONTRACTED =
  /^((?!(?:it|that|this|what|who|there|he|she|everything|all)['’])\S.{0,200})['’]s (?=(?:all |now )?(?:done|finished|complete|completed)[\s.!]*$)/i;

const MEANT = [
  [CONTRACTED, '$1 is '],
  [/\buh huh\b/i, 'uh-huh'],
  [/\b(?:evr?ything|everthing|evreything|everyting)\b/i, 'everything'],
  [
    /^(\s*(?:(?:pls|please|ok|hey|and|also|can you|could you) )*)ad (?!(?:is|are|was|were|agency|block\w*|campaign)\b)/i,
    '$1add ',
  ],
] as const;

function classifyAlone(input: ClassifyInput, model: Model): Classification {
  const { message, pending, tasks = [] } = input;
  if (isTooLong(message)) return single('', plain('GENERAL_CHAT'), ['is too long to be read']);
  const text = normalise(MEANT.reduce((said, [form, meant]) => said.replace(form, meant), message));
  const whole = text.clean.trim();
  const unread = reasonNotToRead(text, pending !== undefined);
  if (unread !== undefined) return single(whole, plain('GENERAL_CHAT'), [unread]);

  const commands = commandsIn(text, { ...input, tasks });
  const agreement = agreeOn(text, readClauses(text, pending), model);
  const answer = answerOf(text, pending, commands !== undefined || agreement.agreed.length > 0);
  if (answer) return single(whole, answer.intent, [answer.reason]);
  if (commands) return withPending(text, pending, fromClauses(commands));
  if (agreement.agreed.length > 0) return withPending(text, pending, fromAgreement(text, agreement));
  return (
    readDoubtful(text, tasks, agreement) ??
    readBareNoun(text, tasks, () => possibleFor(input.history, model)) ??
    single(whole, plain('GENERAL_CHAT'), ['is not about the task list'])
  );
}

/** Why a message can be no request, if so. */
function reasonNotToRead({ clean, sentences }: Message, isPending: boolean): string | undefined {
  if (sentences.length === 0) return 'says nothing';
  if (sentences.some(({ tokens }) => isPromptInjection(tokens))) return 'tries to override the rules';
  if (asksToSort(clean)) return 'asks to sort the list';
  return !isPending && isPraise(clean.trim()) ? 'is a kind word' : undefined;
}

const PLACE_FIRST =
  /^(?:the )?(?:last|first|second|third|fourth|fifth)(?: one| task)?: |^add (?:a )?note to /i;
/** A correction, a question about the list, or commands. While a delete waits, a correction may be about that. */
function commandsIn(message: Message, input: ClassifyInput & { tasks: readonly KnownTask[] }) {
  const { text } = spelledOut(message);
  const { pending } = input;
  const reopens = readReopening(text.clean, input);
  if (reopens) return [reopens];
  const isNew = readAddForm(text) !== undefined && !(input.shown && PLACE_FIRST.test(text.clean));
  const edit = isNew ? undefined : readEdit(text.clean, input);
  const another = pending && readOther(text.clean, input);
  if (another) return [another];
  const isMeant = edit && (!pending || edit.user_intent.intent_type === 'UPDATE_TASK');
  const asked = isMeant ? edit : questionIn([message, text], input);
  return asked ? [asked] : readCommands(text, input);
}

function questionIn(texts: readonly Message[], input: ClassifyInput & { tasks: readonly KnownTask[] }) {
  return texts.map(({ clean }) => readListQuestion(clean, input)).find(Boolean);
}

function isTooLong(message: string): boolean {
  return message.length > MESSAGE_MAX_LENGTH && Array.from(message).length > MESSAGE_MAX_LENGTH;
}

function readClauses(text: Message, pending: ClassifyInput['pending']): ReadClause[] {
  const meant = pending && readCorrectedTarget(text);
  return meant ? [meant] : mergeClauses(readMessage(text));
}

/** What is worth a question: what grammar and model disagree about, a command that is not complete. */
function readDoubtful(
  text: Message,
  tasks: readonly KnownTask[],
  agreement: Agreement,
): Classification | undefined {
  if (agreement.disputed.length > 0)
    return fromAgreement(text, { agreed: [], disputed: agreement.disputed.slice(0, 1) });
  const begun = readIncompleteCommand(text, tasks) ?? readNews(text, tasks);
  return begun && fromClauses([begun]);
}

function readBareNoun(
  text: Message,
  tasks: readonly KnownTask[],
  possible: () => IntentType[],
): Classification | undefined {
  if (!isBareNoun(text) || helpInLanguageOf(text.clean)) return undefined;
  const missing = tasks.length > 0 ? readUnknownTask(text) : undefined;
  if (missing) return fromClauses([missing]);
  return single(text.clean.trim(), ambiguous(possible()), ['names a thing, but not what to do with it']);
}

const ASKED_ALONE: ReadonlySet<IntentType> = new Set(['DELETE_TASK', 'AMBIGUOUS']);
/** "Yes, and add cheddar" is not a clear yes: the pending delete and the other request become one request that needs confirmation. */
function withPending(text: Message, pending: ClassifyInput['pending'], more: Classification): Classification {
  const asksAlone = more.clauses.some(({ user_intent }) => ASKED_ALONE.has(user_intent.intent_type));
  if (!pending || asksAlone || !startsWithSureYes(text)) return more;
  const { task_description } = pending;
  const isAboutIt = more.clauses.some(
    ({ reference }) => reference?.kind === 'recent' || reference?.text === task_description,
  );
  if (isAboutIt) return more;
  const waiting: MessageClause = {
    text: text.clean.trim(),
    user_intent: {
      intent_type: 'DELETE_TASK',
      confidence: 1,
      extracted_params: { task_reference: task_description },
    },
    reference: { kind: 'title', text: task_description },
    reasons: ['says yes and wants more'],
  };
  return fromClauses([waiting, ...more.clauses]);
}

interface Answered {
  intent: UserIntent;
  reason: string;
}
const EITHER: IntentType[] = ['CONFIRM_YES', 'CONFIRM_NO'];
const LONGEST_MIXED = 6;

/** The message as a yes or a no, unless it requests something else. Without an open question only clear answers count. */
function answerOf(text: Message, pending: ClassifyInput['pending'], asksMore: boolean): Answered | undefined {
  if (pending?.reminded && isWeakYes(text)) return either('is not a clear yes');
  if (pending) return answerToPending(text, pending.task_description, asksMore);
  return asksMore ? undefined : plainAnswer(text);
}

const SAYS_YES: Answered = { intent: plain('CONFIRM_YES'), reason: 'says yes' };
const SAYS_NO: Answered = { intent: plain('CONFIRM_NO'), reason: 'says no' };
const either = (reason: string): Answered => ({ intent: ambiguous(EITHER), reason });

function answerToPending(text: Message, about: string, asksMore: boolean): Answered | undefined {
  const answer = readAnswer({ message: text, about });
  if (cancelsPending(text) || (answer === 'no' && isPlainNo(text))) return SAYS_NO;
  if (answer === 'yes') return SAYS_YES;
  if (answer === 'mixed') return endsWithNo(text) ? SAYS_NO : either('says both yes and no');
  return asksMore ? undefined : looseAnswer(text, answer);
}

/** Not said plainly, but nothing else is asked for. */
function looseAnswer(text: Message, answer: ReturnType<typeof readAnswer>): Answered | undefined {
  if (isUndecided(text)) return either('says neither yes nor no');
  if (answer === undefined && isHalfYes(text)) return either('is not a clear yes');
  return answer === 'no' || isDenial(text) ? SAYS_NO : undefined;
}

function plainAnswer(text: Message): Answered | undefined {
  const answer = readAnswer({ message: text });
  if (answer === 'yes') return SAYS_YES;
  const isShort = text.sentences.flatMap(({ tokens }) => tokens).length <= LONGEST_MIXED;
  if (answer === 'mixed' && isShort) return either('says both yes and no');
  if (isUndecided(text)) return either('says neither yes nor no');
  return answer === 'no' && isPlainNo(text) ? SAYS_NO : undefined;
}

const WITH_A_THING: IntentType[] = ['CREATE_TASK', 'COMPLETE_TASK', 'UPDATE_TASK', 'DELETE_TASK'];
/** What may be wanted of a bare noun: first the intent of the previous message. */
function possibleFor(history: ClassifyInput['history'], model: Model): IntentType[] {
  const before = history?.findLast(({ role }) => role === 'user')?.content;
  const wanted = before === undefined ? undefined : intentOf(before, model);
  return wanted && WITH_A_THING.includes(wanted) ? [...new Set([wanted, ...WITH_A_THING])] : WITH_A_THING;
}

/** The intent of the message of a context. An expired question still counts as pending: the reply says that it has expired. */
export function classifyContext({
  message,
  message_history,
  pending_confirmation,
  tasks,
  recent,
  shown,
}: DecisionContext): Classification {
  return classify({
    message,
    history: message_history,
    ...(tasks && { tasks: tasks.tasks, partial: tasks.tasks.length < tasks.total }),
    ...(recent !== undefined && { recent }),
    ...(shown && { shown }),
    ...(pending_confirmation && { pending: pending_confirmation }),
  });
}
