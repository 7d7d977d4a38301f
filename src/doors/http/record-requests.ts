import type { ActivityMetadata } from '../../contract/activity.ts';
import { callerMetadata, type Caller } from '../../contract/call.ts';
import { toProxyError, type ProxyError } from '../../contract/errors.ts';
import { ofRequest, type Log } from '../../lib/log.ts';
import type { OpenRecord, RecordDraft } from '../../log/index.ts';

export interface Change<T = unknown> {
  action: string;
  caller: Caller;
  /** Absent where the change concerns several servers. */
  server?: string;
  tool?: string;
  /** The requested change, without secrets. */
  wanted?: unknown;
  /** Facts that stay where the content of the record is removed. */
  facts?: ActivityMetadata;
  /** The part of the result that is recorded. */
  outcome?: (result: T) => unknown;
}

/** Records a change of the configuration before it is made, and its outcome. */
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
      ...change.facts,
      ...callerMetadata(caller),
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

interface RefusalParts {
  activity: { open(draft: RecordDraft): OpenRecord };
  log: Log;
}

/** Records a call that is refused before the road opens its record. The refusal is returned even if that fails. */
export async function recordRefusal(
  { activity, log }: RefusalParts,
  caller: Caller,
  error: ProxyError,
): Promise<void> {
  try {
    const record = activity.open({
      type: 'bad_request',
      source: caller.source,
      request_id: caller.requestId,
      ...(caller.client && { client: caller.client }),
      metadata: { ...callerMetadata(caller) },
    });
    await record.close({ status: 'refused', error_code: error.code, error_message: error.message });
  } catch (cause) {
    log.error({ err: cause, ...ofRequest(caller) }, 'could not record a refused request');
  }
}
