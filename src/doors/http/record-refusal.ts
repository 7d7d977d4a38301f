import type { OpenRecord, RecordDraft } from '../../log/index.ts';
import type { Caller } from '../../contract/call.ts';
import type { ProxyError } from '../../contract/errors.ts';
import { ofRequest, type Log } from '../../lib/log.ts';

export interface RefusalParts {
  activity: { open(draft: RecordDraft): OpenRecord };
  log: Log;
}

/** A call that is refused before the road begins has no record yet; it gets one here. The refusal stands even if that fails. */
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
      metadata: {
        principal: caller.principal,
        ...(caller.trace && { trace_id: caller.trace.traceId }),
      },
    });
    await record.close({ status: 'refused', error_code: error.code, error_message: error.message });
  } catch (cause) {
    log.error({ err: cause, ...ofRequest(caller) }, 'a refused request could not be recorded');
  }
}
