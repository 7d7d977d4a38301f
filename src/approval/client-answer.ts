import type { Caller } from '../contract/caller.ts';
import type { Decide } from './decide.ts';
import type { Holds } from './holds.ts';

/** What a client program said to the question that it was shown. */
export interface ClientAnswer {
  action: 'accept' | 'decline' | 'cancel';
  /** What was ticked, where there was something to tick. */
  approve?: boolean | undefined;
}

interface AnswerParts {
  decide: Decide;
  holds: Holds;
  inClient: () => boolean;
}

/**
 * The answer of a client program counts as a decision where the operator allows that; otherwise the attempt is refused and recorded.
 * Taking back one's own question is always possible; closing the dialog means nothing.
 */
export function createClientAnswers({ decide, holds, inClient }: AnswerParts) {
  return async function answered(
    id: string,
    { action, approve }: ClientAnswer,
    caller: Caller,
  ): Promise<void> {
    const from = 'in-client' as const;
    if (action === 'cancel') return;
    if (action === 'accept') {
      await decide(id, { decision: approve === false ? 'deny' : 'approve', caller, from });
      return;
    }
    if (inClient()) {
      await decide(id, { decision: 'deny', reason: 'declined in the client', caller, from });
      return;
    }
    const { principal, user_id: userId } = await holds.current(id);
    if (principal === caller.principal && userId === caller.userId)
      await holds.cancel(id, 'withdrawn in the client', caller.principal);
  };
}
