import { DESCRIPTION_MAX_LENGTH, type UserIntent } from '../../contract/chat.ts';
import type { DecisionContext, KnownTask, OpenQuestion, Step } from '../context.ts';
import { quote } from '../reply/wording.ts';

/** What one clause of a message leads to, independent of the other clauses. */
export type ClauseOutcome = (
  | { kind: 'do'; steps: Step[]; recent?: string }
  | { kind: 'delete'; tasks: KnownTask[]; steps?: Step[] }
  /** `readFirst`: the list may clarify it. */
  | { kind: 'ask'; question: string; shown?: string[]; open?: OpenQuestion; readFirst?: true }
  /** Only a reply. */
  | { kind: 'say'; text: string; recent?: string }
  /** Refused by policy. */
  | { kind: 'refuse'; text: string }
  /** The list must be read first. `destroys`: a delete, which needs confirmation. */
  | { kind: 'read_first'; wish: string; destroys: boolean }
) & {
  /** The intent that led to it, if the clause alone has another. */
  intent?: UserIntent;
  because: string;
};

export type ClauseContext = Pick<
  DecisionContext,
  'user_id' | 'tasks' | 'shown' | 'recent' | 'undo' | 'message_history'
>;

export function step(call: Step['call'], done: string, wish: string): Step {
  return { call, done, wish };
}

export function deleteStep(task: KnownTask, user_id: string): Step {
  return step(
    { tool_name: 'delete_task', parameters: { user_id, task_id: task.task_id } },
    `I have deleted ${quote(task.description)}.`,
    `delete ${task.description}`,
  );
}

/** The question to ask if a description is too long. */
export function tooLongQuestion(
  text: string,
  open: OpenQuestion,
): Extract<ClauseOutcome, { kind: 'ask' }> | undefined {
  const length = Array.from(text).length;
  if (length <= DESCRIPTION_MAX_LENGTH) return undefined;
  return {
    kind: 'ask',
    question: `A task can have up to ${DESCRIPTION_MAX_LENGTH} characters, and this one has ${length}. How would you put it in fewer words?`,
    open,
    because: 'the description is too long',
  };
}
