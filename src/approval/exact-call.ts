import type { ApprovalDetail } from '../contract/approval.ts';
import { ProxyError } from '../contract/errors.ts';
import { exactJson, exactValue, parseExact } from '../json/index.ts';
import type { FindMasked, Question } from './question.ts';

/** The call as it will run, for the person who decides. */
type ExactCall = Pick<ApprovalDetail, 'arguments' | 'input_responses' | 'masked_parts'>;

/** What a person can be shown whole, and what is kept for that. */
export const MAX_CALL_BYTES = 4 * 1024 * 1024;

export function exactCall({ args, brought }: Question, findMasked: FindMasked): ExactCall {
  const sent = { arguments: exactValue(args), input_responses: exactValue(brought?.inputResponses) };
  const masked = Object.entries(sent).flatMap(([name, value]) => findMasked(value, `/${name}`));
  return { ...sent, masked_parts: masked };
}

/** Throws where a person could not be shown so much. */
export function exactCallText(call: ExactCall): string {
  const text = exactJson(call)!;
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_CALL_BYTES) return text;
  throw new ProxyError(
    'APPROVAL_LIMIT',
    `The call needs approval, and its arguments (${bytes} bytes) are longer than what a person can be shown whole (${MAX_CALL_BYTES} bytes). It did not run, and nobody was asked. Split it into smaller calls`,
    { bytes, limit: MAX_CALL_BYTES },
  );
}

export function readExactCall(text: string): ExactCall {
  return parseExact(text) as ExactCall;
}
