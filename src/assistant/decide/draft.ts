import type {
  AgentDecision,
  Classification,
  DecisionType,
  IntentType,
  ToolCall,
  UserIntent,
} from '../../contract/chat.ts';
import type {
  Decided,
  DecisionContext,
  DeleteQuestion,
  OpenQuestion,
  PendingOutcome,
  Step,
} from '../context.ts';

/** A decision before it is put into its stored form. */
export interface DecisionDraft {
  type: DecisionType;
  /** Text of the reply before the question, in addition to the results of the steps. */
  say?: string;
  question?: string;
  steps: Step[];
  pending?: PendingOutcome;
  asks?: DeleteQuestion;
  shown?: string[];
  recent?: string;
  open?: OpenQuestion;
  refused?: true;
  /** The list must be read before the final decision. */
  readFirst?: true;
  /** The intent that question and answer have together, if the message alone has another. */
  intent?: UserIntent;
  because: string[];
}

/** The stored form of a draft. Unused fields are left out, so that equal decisions have equal JSON. */
export function toDecided(
  context: DecisionContext,
  classification: Classification,
  draft: DecisionDraft,
): Decided {
  const user_intent = completeIntent(draft.intent ?? classification.user_intent, draft);
  const { say, steps, pending, asks, shown, recent, open, refused, readFirst } = draft;
  return {
    user_intent,
    decision: decisionOf(context, user_intent, draft),
    because: [...classification.reasons, ...draft.because],
    steps,
    ...(say && { say }),
    ...(pending && { pending }),
    ...(asks && { asks }),
    ...(shown && { shown }),
    ...(recent !== undefined && { recent }),
    ...(open && { question: open }),
    ...(refused && { refused }),
    ...(readFirst && { read_first: readFirst }),
  };
}

/**
 * The intent with all parameters that its type requires. What the message leaves out comes from the one task and text that it leads to;
 * otherwise the intent is ambiguous.
 */
export function completeIntent(
  intent: UserIntent,
  { steps, asks }: Pick<DecisionDraft, 'steps' | 'asks'> = { steps: [] },
): UserIntent {
  const { intent_type, extracted_params: given } = intent;
  const required = REQUIRED[intent_type] ?? [];
  const [only, another] = steps;
  const known = only && !another ? only : undefined;
  const params: Record<string, unknown> = {
    ...(asks && { task_reference: asks.task_description }),
    ...(known && { new_description: known.call.parameters['description'] }),
    ...(known && { task_reference: known.wish.replace(/^\w+ /, '') }),
    ...given,
  };
  if (required.every((name) => given[name as keyof typeof given])) return intent;
  if (required.some((name) => !params[name]))
    return { intent_type: 'AMBIGUOUS', extracted_params: { possible_intents: [intent_type] } };
  const extracted_params = Object.fromEntries(required.map((name) => [name, params[name]]));
  return { ...intent, extracted_params } as UserIntent;
}

const REQUIRED: Partial<Record<IntentType, readonly string[]>> = {
  CREATE_TASK: ['description'],
  COMPLETE_TASK: ['task_reference'],
  UPDATE_TASK: ['task_reference', 'new_description'],
  DELETE_TASK: ['task_reference'],
};

function decisionOf(
  context: DecisionContext,
  user_intent: UserIntent,
  { type, say, question, steps, readFirst }: DecisionDraft,
): AgentDecision {
  const calls = steps.map(({ call }) => call);
  const reads = readFirst || (context.tasks !== undefined && usesList(user_intent, calls));
  const all = reads ? [readCall(context.user_id), ...calls] : calls;
  const text = [say, ...steps.map(({ done }) => done)].filter(Boolean).join(' ');
  return {
    decision_type: type,
    ...(all.length > 0 && { tool_calls: all.map(numberedCall) }),
    ...(text && { response_text: text }),
    ...(question && { clarification_question: question }),
  };
}

/** Whether the list led to the decision. It is read for every message, to see whether a task is meant. */
function usesList(
  { intent_type, extracted_params }: UserIntent,
  calls: ReadonlyArray<Step['call']>,
): boolean {
  const [first] = calls;
  if (first)
    return first.tool_name !== 'list_tasks' && calls.some(({ tool_name }) => tool_name !== 'add_task');
  if (intent_type !== 'AMBIGUOUS') return intent_type !== 'GENERAL_CHAT' && intent_type !== 'CREATE_TASK';
  const [only, another] = extracted_params.possible_intents;
  return only !== 'CREATE_TASK' && another === undefined;
}

function readCall(user_id: string): Omit<ToolCall, 'sequence'> {
  return { tool_name: 'list_tasks', parameters: { user_id } };
}

function numberedCall(call: Omit<ToolCall, 'sequence'>, index: number): ToolCall {
  return { ...call, sequence: index + 1 };
}
