import type { OpenRecord, RecordDraft } from '../../log/index.ts';
import type { Caller } from '../../contract/call.ts';
import { toProxyError } from '../../contract/errors.ts';

export interface Change<T = unknown> {
  action: string;
  caller: Caller;
  /** Absent where the change concerns many. */
  server?: string;
  tool?: string;
  /** What was asked for, without secrets. */
  wanted?: unknown;
  /** What the record is to say of what came of it. */
  outcome?: (result: T) => unknown;
}

/** A change of the configuration is in the log before it is made, and so is one that failed. */
export async function recordChange<T>(
  activity: { open(draft: RecordDraft): OpenRecord },
  change: Change<T>,
  act: () => Promise<T>,
): Promise<T> {
  const { caller } = change;
  const record = activity.open({
    type: 'config_change',
    source: caller.source,
    ...(change.server !== undefined && { server_name: change.server }),
    ...(change.tool !== undefined && { tool_name: change.tool }),
    ...(change.wanted !== undefined && { arguments: change.wanted }),
    request_id: caller.requestId,
    ...(caller.client && { client: caller.client }),
    metadata: {
      action: change.action,
      principal: caller.principal,
      ...(caller.trace && { trace_id: caller.trace.traceId }),
    },
  });
  caller.trace?.set?.({ 'mcpproxy.record.id': record.id });
  try {
    await record.durable();
    const result = await act();
    await record.close({
      status: 'success',
      ...(change.outcome && { response: change.outcome(result) }),
    });
    return result;
  } catch (cause) {
    const error = toProxyError(cause);
    await record.close({ status: error.outcome, error_code: error.code, error_message: error.message });
    throw error;
  }
}
