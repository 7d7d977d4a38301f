import type { IntentType, MessageClause, TaskReference, UserIntent } from '../../contract/chat.ts';
import type { DecisionContext, OpenQuestion } from '../context.ts';
import { isAskedBack } from './asked-back.ts';
import { decideClauses } from './decide-clauses.ts';
import type { DecisionDraft } from './draft.ts';
import { normalise } from '../language/normalise.ts';
import { readPositions } from '../language/positions.ts';
import { resolveTask } from './resolve-task.ts';
import { isSmallTalk } from '../reply/small-talk.ts';

type Which = Extract<OpenQuestion, { about: 'COMPLETE_TASK' | 'DELETE_TASK' | 'UPDATE_TASK' }>;

/**
 * A short answer to the assistant's last question: "the second one" to "which one?", "buy milk" to "what should I add?",
 * "yes" to "should I …?". A message that is a request by itself is never taken for an answer.
 */
export function decideAnswer(context: DecisionContext, clauses: MessageClause[]): DecisionDraft | undefined {
  const { question, ...rest } = context;
  const [clause, another] = clauses;
  if (!question || !clause || another) return undefined;
  if (isAskedBack(context.message)) return repeated(context, question);
  const requests = requestsFrom(question, clause, context);
  if (requests === undefined) return undefined;
  const { before = [], after = [] } = question;
  const draft =
    requests === 'none'
      ? NOTHING_WANTED
      : requests === 'again'
        ? askAgain(question)
        : decideClauses(rest, [...before, ...requests, ...after]);
  const intent = Array.isArray(requests) ? requests[0]!.user_intent : undefined;
  return {
    ...(intent && { intent }),
    ...draft,
    because: ['it answers the question of the message before', ...draft.because],
  };
}

/** "Which one?", "why?": the question is put again, and stays open. */
function repeated({ message_history }: DecisionContext, open: OpenQuestion): DecisionDraft | undefined {
  const last = message_history.findLast(({ role }) => role === 'assistant')?.content;
  if (last === undefined) return undefined;
  const because = ['it asks about the question, which stays open'];
  return { type: 'ASK_CLARIFICATION', question: last, steps: [], open, because };
}

const VERBS: Partial<Record<IntentType, RegExp>> = {
  CREATE_TASK: /^(?:please )?(?:add|put|create|note)\b/i,
  COMPLETE_TASK: /^(?:please )?(?:complete|mark|finish|check|tick|do)\b/i,
  UPDATE_TASK: /^(?:please )?(?:change|update|rename|edit|do)\b/i,
  LIST_TASKS: /^(?:please )?(?:show|list)\b/i,
};
const POINTING =
  /^(?:please )?\w+(?: off)? (?:it|that|this|them|both|all)(?: (?:as )?(?:done|off|down|please|then|to (?:my|the) list|on (?:my|the) list))*[.!]*$/i;

/** "Add it" after "should I add it?" is a yes. */
function repeats(question: OpenQuestion, text: string): boolean {
  return (
    question.about === 'THIS' &&
    POINTING.test(text) &&
    VERBS[question.clause.user_intent.intent_type]?.test(text) === true
  );
}

const NEITHER =
  /^(?:neither|none|nothing|not any|skip|nvm)(?: one| it| that| of (?:them|these|those))?[.!\s]*$/i;

/** What question and answer request together; undefined if the message is not an answer. */
function requestsFrom(
  question: OpenQuestion,
  clause: MessageClause,
  context: DecisionContext,
): MessageClause[] | 'none' | 'again' | undefined {
  const text = clause.text.trim();
  if (clause.user_intent.intent_type === 'CONFIRM_YES' || repeats(question, text))
    return onYes(question, clause);
  if (NEITHER.test(text)) return 'none';
  if (question.about === 'THIS' || text === '' || text.includes('?')) return undefined;
  if (question.about === 'CREATE_TASK' || question.about === 'UPDATE_TEXT')
    return isBareText(clause) ? [withText(question, clause, text)] : undefined;
  return requestsAbout(question, clause, context);
}

/** The requests for the tasks that the answer names. */
function requestsAbout(
  question: Which,
  clause: MessageClause,
  context: DecisionContext,
): MessageClause[] | 'again' | undefined {
  const text = clause.text.trim();
  const chosen = tasksChosen(text, question.among ?? 0);
  if (chosen)
    return question.about === 'UPDATE_TASK' && chosen.length > 1 ? 'again' : aimed(question, clause, chosen);
  const title: TaskReference = { kind: 'title', text };
  return isAnswer(clause, title, context) ? aimed(question, clause, [title]) : undefined;
}

function onYes(question: OpenQuestion, clause: MessageClause): MessageClause[] | 'again' {
  if (question.about === 'THIS') return [question.clause];
  if (!('only' in question) || question.only === undefined) return 'again';
  return aimed(question, clause, [{ kind: 'recent', text: 'this one', task_id: question.only }]);
}

const NOTHING_WANTED: DecisionDraft = {
  type: 'RESPOND_ONLY',
  say: 'All right, nothing was changed.',
  steps: [],
  because: ['nothing is wanted'],
};

/** A yes names neither a task nor a text. */
function askAgain(question: OpenQuestion): DecisionDraft {
  const wantsText = question.about === 'CREATE_TASK' || question.about === 'UPDATE_TEXT';
  return {
    type: 'ASK_CLARIFICATION',
    question: wantsText
      ? 'What should the task say? Nothing was changed yet.'
      : 'Which one do you mean? Say the number or the name of one task. Nothing was changed yet.',
    steps: [],
    open: question,
    because: ['it does not say which one, or what'],
  };
}

function withText(
  question: Extract<OpenQuestion, { about: 'CREATE_TASK' | 'UPDATE_TEXT' }>,
  { text, reasons }: MessageClause,
  said: string,
): MessageClause {
  if (question.about === 'CREATE_TASK')
    return {
      text,
      reasons,
      user_intent: {
        intent_type: 'CREATE_TASK',
        extracted_params: { description: said.replace(/^to\s+(?=\S)/i, '') },
      },
    };
  return {
    text,
    reasons,
    user_intent: { intent_type: 'UPDATE_TASK', extracted_params: { new_description: said } },
    reference: { kind: 'recent', text: 'it', task_id: question.task_id },
    change: { kind: 'replace', text: said },
  };
}

/** The request that the question was about, for each task that the answer names. */
function aimed(
  question: Which,
  { text, reasons }: MessageClause,
  references: TaskReference[],
): MessageClause[] {
  return references.map((reference) => {
    const user_intent: UserIntent = {
      intent_type: question.about,
      extracted_params: { task_reference: reference.text },
    };
    const change = question.about === 'UPDATE_TASK' ? question.change : undefined;
    return { text, reasons, user_intent, reference, ...(change && { change }) };
  });
}

const BOTH = /^both(?: of (?:them|these|those))?[.!\s]*$/i;
const ALL = /^(?:all|everything|every one|all of (?:them|these|those))[.!\s]*$/i;
const MOST_CHOSEN = 20;

/** The positions in an answer to "which one?" that names nothing else. */
export function tasksChosen(text: string, among: number): TaskReference[] | undefined {
  if ((BOTH.test(text) && among === 2) || (ALL.test(text) && among > 1 && among <= MOST_CHOSEN))
    return Array.from({ length: among }, (_, i) => ({ kind: 'position', text, position: i + 1 }));
  const { clean, sentences } = normalise(text);
  const tokens = sentences.flatMap((sentence) => sentence.tokens);
  return readPositions(clean, tokens, [0, tokens.length]);
}

const THINKING =
  /^(?:h+m+|u+m+|u+h+|e+r+m*|well|wait|let me|i (?:do not|don'?t) know|idk|dunno|not sure|whatever|lol|ha(?:ha)+|wow|why|what|who|how|when|where)\b/i;

/** Not a request by itself, so it can be the text that was asked for. */
export function isBareText(clause: MessageClause): boolean {
  const intent = clause.user_intent;
  if (intent.intent_type === 'AMBIGUOUS')
    return !intent.extracted_params.possible_intents.includes('CONFIRM_YES');
  return (
    intent.intent_type === 'GENERAL_CHAT' && !isSmallTalk(clause.text) && !THINKING.test(clause.text.trim())
  );
}

/** Whether the text can name one of the tasks; false if the list was read and no task matches. */
export function isAnswer(
  clause: MessageClause,
  title: TaskReference,
  { tasks, shown }: DecisionContext,
): boolean {
  if (!isBareText(clause)) return false;
  if (!tasks) return true;
  return resolveTask(title, { tasks: tasks.tasks, ...(shown && { shown }) }).kind !== 'none';
}
