import { hash } from 'node:crypto';
import type { CallResult, Caller } from '../../contract/call.ts';
import { ProxyError } from '../../contract/errors.ts';
import { canonicalJson, exactValue, merge, withFields } from '../../json/index.ts';
import type { StateSeal } from '../../lib/state-seal.ts';
import type { Continuation } from '../../upstream/dispatch/dispatch-call.ts';
import type { ParsedCall } from '../context.ts';
import type { Step } from '../step.ts';

export const requestState: Step = {
  name: 'request state',
  does: 'checks that the state of an unfinished call belongs to this caller and this call',
  refusals: ['INVALID_STATE'],
  run(call, { stateSeal }) {
    call.continuation = stateFor(stateSeal, call.parsed, call.caller).opened(call.request.continuation);
  },
};

/**
 * A server that asks for more input returns a state and trusts every client that sends it back. All callers are one client to the server, so
 * the state is sealed: only the caller that received it can send it back, and only with the call that it belongs to.
 */
export function stateFor(seal: StateSeal, call: ParsedCall, caller: Caller) {
  return {
    /** The continuation with the state as the server wrote it. Throws INVALID_STATE. */
    opened(continuation: Continuation | undefined): Continuation | undefined {
      if (continuation?.requestState === undefined) return continuation;
      const state = seal.open(continuation.requestState, boundTo(call, caller));
      if (state) return merge(continuation, { requestState: state.value });
      throw new ProxyError(
        'INVALID_STATE',
        'The request state was not given to this caller for this call, or is older than a day: make the call again without it',
        { tool: call.name },
      );
    },
    sealed(result: CallResult): CallResult {
      if (result.resultType !== 'input_required' || result.requestState === undefined) return result;
      const { requestState } = exactValue(result) as CallResult;
      return withFields(result, { requestState: seal.seal(requestState, boundTo(call, caller)) });
    },
  };
}

function boundTo({ name, args, item }: ParsedCall, { principal, userId, token }: Caller): string {
  const call = [principal, token?.id ?? null, userId, name, args];
  return hash('sha256', canonicalJson(item === undefined ? call : [...call, item]), 'hex');
}
