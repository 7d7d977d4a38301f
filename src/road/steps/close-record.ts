import type { ActivityStatus } from '../../contract/activity.ts';
import type { CallResult } from '../../contract/call.ts';
import { ProxyError, toProxyError } from '../../contract/errors.ts';
import { ofRequest } from '../../lib/log.ts';
import type { CallContext } from '../context.ts';
import type { RoadParts } from '../parts.ts';
import type { Step } from '../step.ts';
import { traceError, traceResult } from '../trace-call.ts';
import { releaseSlot } from './admission.ts';
import { mayBeUnrecorded } from './durable-record.ts';
import { rememberAnswer } from './flows.ts';

export const closeRecord: Step = {
  name: 'close the record',
  does: 'the outcome is on disk before the caller has it',
  refusals: ['AUDIT_UNAVAILABLE'],
  span: 'log closed',
  async run(call, parts) {
    const outcome = outcomeOf(call.result);
    const { trace } = call.caller;
    if (trace) traceResult(trace, outcome.status);
    // What could not be written is written once the log is back; only a read that is let through does not wait for it.
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
  // A refusal stays one also where it cannot be written down.
  await record.close({ status, error_code, error_message, metadata: notes }).catch(() => {});
  lookAtAnswer(call, parts, { message: error.message, details: error.details });
  return error;
}

/** The approval of a call that failed hears how it ended. Returns what the call failed with. */
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

/** A tool that ran and reports an error is passed on as it is, but the record says so. */
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

/** The call was made and then the log failed: nothing leaves that is not recorded, and the caller must know that it ran. */
function ranUnrecorded(cause: unknown): never {
  throw new ProxyError(
    'AUDIT_UNAVAILABLE',
    `The tool has run, but its outcome could not be recorded, so its answer is held back: ${toProxyError(cause).message}. Look before you repeat the call`,
    { executed: true },
  ).withCause(cause);
}
