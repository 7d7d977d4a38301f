import type { MessageClause, TaskReference, UserIntent } from '../contract/assistant.ts';
import type { DecisionContext, OpenQuestion } from './context.ts';
import { decideClauses } from './decide-clauses.ts';
import type { Draft } from './draft.ts';
import { normalise } from './language/normalise.ts';
import { readPositions } from './language/positions.ts';
import { resolveTask } from './resolve-task.ts';

/**
 * A bare answer to what the assistant asked in its last message: "the second one" to "which one?", "buy milk" to "what should I add?".
 * Only what means nothing by itself is taken for an answer; a request of its own is always that.
 */
export function answerTo(context: DecisionContext, clauses: MessageClause[]): Draft | undefined {
  const { question, ...rest } = context;
  const [clause, another] = clauses;
  if (!question || !clause || another) return undefined;
  const text = clause.text.trim();
  if (!meansNothing(clause, text) || text === '' || text.includes('?')) return undefined;
  const wantsText = question.about === 'CREATE_TASK' || question.about === 'UPDATE_TEXT';
  const answer = wantsText ? text : chosen(text, context);
  if (answer === undefined) return undefined;
  const recent = question.about === 'UPDATE_TEXT' ? question.task_id : rest.recent;
  const draft = decideClauses({ ...rest, ...(recent !== undefined && { recent }) }, [
    asRequest(question, clause, answer),
  ]);
  return { ...draft, because: ['it answers the question of the message before', ...draft.because] };
}

/** No wish by itself. A bare number is none either, though nothing in it speaks of tasks. */
function meansNothing({ user_intent: { intent_type } }: MessageClause, text: string): boolean {
  return intent_type === 'AMBIGUOUS' || (intent_type === 'GENERAL_CHAT' && placeIn(text) !== undefined);
}

/** Which task the answer names. Where the list was read and none fits, it is no answer. */
function chosen(text: string, { tasks, shown }: DecisionContext): TaskReference | undefined {
  const reference: TaskReference = placeIn(text) ?? { kind: 'title', text };
  if (!tasks) return reference;
  const found = resolveTask(reference, { tasks: tasks.tasks, ...(shown && { shown }) });
  return found.kind === 'none' ? undefined : reference;
}

/** A place in the list, where the text names that and nothing else. */
function placeIn(text: string): TaskReference | undefined {
  const { clean, sentences } = normalise(text);
  const tokens = sentences.flatMap((sentence) => sentence.tokens);
  const places = readPositions(clean, tokens, [0, tokens.length]);
  return places?.length === 1 ? places[0] : undefined;
}

/** The request that question and answer make together. */
function asRequest(
  question: OpenQuestion,
  { text, reasons }: MessageClause,
  answer: string | TaskReference,
): MessageClause {
  const said = typeof answer === 'string' ? answer : answer.text;
  const clause = (user_intent: UserIntent, more: Partial<MessageClause> = {}) => ({
    text,
    reasons,
    user_intent,
    ...more,
  });
  const named = typeof answer === 'string' ? {} : { reference: answer };
  switch (question.about) {
    case 'CREATE_TASK':
      return clause({ intent_type: 'CREATE_TASK', extracted_params: { description: said } });
    case 'UPDATE_TEXT':
      return clause(
        { intent_type: 'UPDATE_TASK', extracted_params: { new_description: said } },
        { reference: { kind: 'recent', text: 'it' }, change: { kind: 'replace', text: said } },
      );
    case 'UPDATE_TASK':
      return clause(
        { intent_type: 'UPDATE_TASK', extracted_params: { task_reference: said } },
        { ...named, ...(question.change && { change: question.change }) },
      );
    case 'COMPLETE_TASK':
    case 'DELETE_TASK':
      return clause({ intent_type: question.about, extracted_params: { task_reference: said } }, named);
    default:
      return question satisfies never;
  }
}
