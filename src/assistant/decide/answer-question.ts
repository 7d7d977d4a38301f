import type { MessageClause, TaskReference, UserIntent } from '../../contract/chat.ts';
import type { DecisionContext, OpenQuestion } from '../context.ts';
import { decideClauses } from './decide-clauses.ts';
import type { Draft } from './draft.ts';
import { isAnswer, isBareText, tasksChosen } from '../read/read-answer.ts';

type Which = Extract<OpenQuestion, { about: 'COMPLETE_TASK' | 'DELETE_TASK' | 'UPDATE_TASK' }>;

/**
 * A bare answer to what the assistant asked in its last message: "the second one" to "which one?", "buy milk" to "what should I add?",
 * "yes" to "should I …?". Only what means nothing by itself is taken for an answer; a request of its own is always that.
 */
export function answerTo(context: DecisionContext, clauses: MessageClause[]): Draft | undefined {
  const { question, ...rest } = context;
  const [clause, another] = clauses;
  if (!question || !clause || another) return undefined;
  const requests = requestsFrom(question, clause, context);
  if (requests === undefined) return undefined;
  const { before = [], after = [] } = question;
  const draft =
    requests === 'none'
      ? letBe
      : requests === 'again'
        ? askAgain(question)
        : decideClauses(rest, [...before, ...requests, ...after]);
  return { ...draft, because: ['it answers the question of the message before', ...draft.because] };
}

const NEITHER =
  /^(?:neither|none|nothing|not any|skip|nvm)(?: one| it| that| of (?:them|these|those))?[.!\s]*$/i;

/** What question and answer ask for together; undefined where the message is no answer. */
function requestsFrom(
  question: OpenQuestion,
  clause: MessageClause,
  context: DecisionContext,
): MessageClause[] | 'none' | 'again' | undefined {
  const text = clause.text.trim();
  if (clause.user_intent.intent_type === 'CONFIRM_YES') return onYes(question, clause);
  if (NEITHER.test(text)) return 'none';
  if (question.about === 'THIS' || text === '' || text.includes('?')) return undefined;
  if (question.about === 'CREATE_TASK' || question.about === 'UPDATE_TEXT')
    return isBareText(clause) ? [withText(question, clause, text)] : undefined;
  return requestsAbout(question, clause, context);
}

/** What the task or the tasks that the answer names are wanted for. */
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

const letBe: Draft = {
  type: 'RESPOND_ONLY',
  say: 'All right, nothing was changed.',
  steps: [],
  because: ['none of it is wanted'],
};

/** A yes does not say which one, nor what. */
function askAgain(question: OpenQuestion): Draft {
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
