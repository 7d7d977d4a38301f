import type { Caller } from '../contract/call.ts';
import type { Decide, DecisionLog } from './decide.ts';
import type { Holds } from './store/holds.ts';
import { recordDialogClosed } from './record-outcome.ts';

/** What a client program answered to the dialog that it was sent. */
export interface ClientAnswer {
  /** `error`: it could not show the dialog, or answered with something else. */
  action: 'accept' | 'decline' | 'cancel' | 'error';
  /** What the person chose. Absent: nobody chose anything. */
  approve?: boolean | undefined;
}

interface AnswerParts {
  decide: Decide;
  holds: Pick<Holds, 'current'>;
  activity: DecisionLog;
}

/**
 * Only an explicit choice is a decision, and it counts where the operator allows that; otherwise the attempt is refused and recorded.
 * Every other answer closes the dialog and nothing else: programs without a person decline, cancel and accept dialogs by themselves.
 */
export function createClientAnswers({ decide, holds, activity }: AnswerParts) {
  return async function answered(
    id: string,
    { action, approve }: ClientAnswer,
    caller: Caller,
  ): Promise<void> {
    if (action === 'accept' && approve !== undefined) {
      await decide(id, { decision: approve ? 'approve' : 'deny', caller, from: 'in-client' });
      return;
    }
    const row = await holds.current(id);
    const isAsker = row.principal === caller.principal && row.user_id === caller.userId;
    if (isAsker && row.status === 'pending') await recordDialogClosed(activity, row, caller, action);
  };
}
