import type { Classification } from '../../contract/chat.ts';
import { classify } from './classify.ts';
import type { DecisionContext } from '../context.ts';

/** What the message of a context wants. A question that has expired is no longer there to say yes or no to, but the answer says so. */
export function understand({
  message,
  message_history,
  pending_confirmation,
  tasks,
}: DecisionContext): Classification {
  return classify({
    message,
    history: message_history,
    ...(tasks && { tasks: tasks.tasks }),
    ...(pending_confirmation && { pending: { task_description: pending_confirmation.task_description } }),
  });
}
