import { z } from 'zod';
import type { Decided, DecisionContext, KnownTask, Step } from '../context.ts';
import { quote, shorten } from '../reply/wording.ts';
import type { StepOutcome } from './call-task-tool.ts';

const Changed = z.object({ task: z.object({ task_id: z.string(), description: z.string() }) });

/** What takes back the changes of a decision, the last change first; undefined if it has changed nothing. */
export function undoSteps(
  { user_id, tasks }: DecisionContext,
  { steps }: Decided,
  outcomes: readonly StepOutcome[],
): Step[] | undefined {
  const undo = steps.flatMap((step, i) => {
    const outcome = outcomes[i];
    if (outcome?.state !== 'done') return [];
    const before = tasks?.tasks.find(({ task_id }) => task_id === step.call.parameters['task_id']);
    return undoOf(step, outcome.value, { user_id, before }) ?? [];
  });
  return undo.length > 0 ? undo.reverse() : undefined;
}

interface Before {
  user_id: string;
  before: KnownTask | undefined;
}

function undoOf({ call }: Step, value: unknown, { user_id, before }: Before): Step | undefined {
  if (call.tool_name === 'add_task') return undoAdd(value, user_id);
  if (!before) return undefined;
  const { task_id, description, status } = before;
  const named = quote(description);
  if (call.tool_name === 'delete_task')
    return {
      call: { tool_name: 'add_task', parameters: { user_id, description } },
      done: `I have put ${named} back on your list.`,
      wish: `add ${shorten(description)}`,
      intent: { intent_type: 'CREATE_TASK', extracted_params: { description } },
    };
  if (call.tool_name === 'list_tasks') return undefined;
  return {
    call: {
      tool_name: 'update_task',
      parameters: { user_id, task_id, description, ...(status === 'pending' && { status }) },
    },
    done: call.tool_name === 'complete_task' ? `${named} is open again.` : `It says ${named} again.`,
    wish: `change it back to ${shorten(description)}`,
    intent: {
      intent_type: 'UPDATE_TASK',
      extracted_params: { task_reference: description, new_description: description },
    },
  };
}

/** Taking back a new task deletes it, so the person is asked. */
function undoAdd(value: unknown, user_id: string): Step | undefined {
  const added = Changed.safeParse(value);
  if (!added.success) return undefined;
  const { task_id, description } = added.data.task;
  return {
    call: { tool_name: 'delete_task', parameters: { user_id, task_id } },
    done: `I have deleted ${quote(description)}.`,
    wish: `delete ${shorten(description)}`,
  };
}
