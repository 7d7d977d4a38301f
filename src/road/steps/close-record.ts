import type { ActivityStatus } from '../../contract/activity.ts';
import type { CallResult } from '../../contract/call.ts';
import { ProxyError, toProxyError } from '../../contract/errors.ts';
import { ofRequest } from '../../lib/log.ts';
import type { CallContext } from '../context.ts';
import type { RoadParts } from '../step.ts';
import type { Step } from '../step.ts';
import { traceError, traceResult } from '../trace-call.ts';
import { releaseSlot } from './admission.ts';
import { mayBeUnrecorded } from './durable-record.ts';
import { rememberAnswer } from './flows.ts';

export const closeRecord: Step = {
  name: 'close the record',
  does: 'writes the outcome to disk before the caller receives it',
  refusals: ['AUDIT_UNAVAILABLE'],
  span: 'log closed',
  async run(call, parts) {
    const outcome = outcomeOf(call.result);
    const { trace } = call.caller;
    if (trace) traceResult(trace, outcome.status);
    // An outcome that cannot be written now is written once the log is back; only a read that may be unrecorded does not wait for it.
    await call
      .record!.close({ metadata: call.notes, ...outcome })
      .catch(mayBeUnrecorded(call, parts) ? () => {} : ranUnrecorded);
    lookAtAnswer(call, parts, call.result);
  },
};

/** Closes the record of a call that a step refused, or that failed. Returns the error for the caller. */
export async function closeFailed(call: CallContext, parts: RoadParts, thrown: unknown): Promise<ProxyError> {
  releaseSlot(call, parts);
  const cause = await settleFailed(call, thrown);
  const error = toProxyError(cause);
  const { record, caller, notes } = call;
  if (!record) return error;
  if (caller.trace) traceError(caller.trace, error);
  if (error.code === 'INTERNAL')
    parts.log.error(
      { record: record.id, ...ofRequest(caller), err: cause },
      'the call broke inside the proxy',
    );
  const { outcome: status, code: error_code, message: error_message } = error;
  // The refusal is returned even if it cannot be recorded.
  await record.close({ status, error_code, error_message, metadata: notes }).catch(() => {});
  lookAtAnswer(call, parts, { message: error.message, details: error.details });
  return error;
}

/** Settles the approval of a call that failed. Returns the error of the call. */
async function settleFailed({ pass }: CallContext, cause: unknown): Promise<unknown> {
  if (!pass || pass.shared) return cause;
  try {
    await pass.settle({ error: toProxyError(cause) });
    return cause;
  } catch (error) {
    return error;
  }
}

function lookAtAnswer(call: CallContext, parts: RoadParts, answer: unknown): void {
  if (!call.isSent) return;
  rememberAnswer(call, parts, answer);
  const { tool, caller, record } = call;
  parts.scanResult?.({ server: tool.server, tool: tool.tool, caller, record: record!.id, answer });
}

/** A result with isError is passed on unchanged, but the record has the status error. */
function outcomeOf(result: CallResult): {
  status: ActivityStatus;
  response: CallResult;
  error_message?: string;
} {
  if (result.isError !== true) return { status: 'success', response: result };
  const text = result.content?.find((block) => block.type === 'text')?.text;
  return {
    status: 'error',
    response: result,
    error_message: typeof text === 'string' ? text.slice(0, 1000) : 'the tool reported an error',
  };
}

/** The call was made and then the log failed: an unrecorded answer is not returned, and the caller must know that the tool ran. */
function ranUnrecorded(cause: unknown): never {
  throw new ProxyError(
    'AUDIT_UNAVAILABLE',
    `The tool has run, but its outcome could not be recorded, so its answer is held back: ${toProxyError(cause).message}. Look before you repeat the call`,
    { executed: true },
  ).withCause(cause);
}
