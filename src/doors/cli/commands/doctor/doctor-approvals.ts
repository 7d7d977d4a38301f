import type { Status } from '../../../../contract/status.ts';
import type { Check } from './check.ts';

/** Whether the policy means what it says. That agents should not hold the operator's key is said where tokens are looked at. */
export function approvalCheck({ approvals }: Status): Check {
  const check = 'approvals';
  if (approvals.rules === 0) return { check, result: 'ok', says: 'no call waits for a person' };
  if (approvals.idle_rules.length > 0)
    return {
      check,
      result: 'warning',
      says: approvals.idle_rules.join('; '),
      next: 'correct the name, or remove the rule',
    };
  if (approvals.in_client)
    return {
      check,
      result: 'warning',
      says: 'the answer of a client program counts as a decision (approvals.in_client)',
      next: 'leave it on only where each client shows the dialog to a person',
    };
  return { check, result: 'ok', says: `${approvals.rules} rules; ${approvals.pending} calls wait now` };
}
