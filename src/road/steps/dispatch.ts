import { variantFor } from '../../contract/operation.ts';
import { ofRequest } from '../../lib/log.ts';
import { clientOf } from '../../load/index.ts';
import type { CallContext } from '../context.ts';
import type { RoadParts } from '../step.ts';
import type { Step } from '../step.ts';
import { releaseSlot } from './admission.ts';

export const dispatch: Step = {
  name: 'dispatch',
  does: 'sends the call to its server, once, and waits for the answer',
  refusals: [
    'SERVER_UNAVAILABLE',
    'SERVER_BUSY',
    'UPSTREAM_FAILED',
    'UPSTREAM_TIMEOUT',
    'OUTCOME_UNKNOWN',
    'RESULT_TOO_LARGE',
    'CANCELLED',
  ],
  async run(call, parts) {
    logWarnings(call, parts);
    const shared = call.pass?.shared;
    call.result = await (shared ?? send(call, parts));
    if (shared) return;
    const { pass, result } = call;
    call.pass = undefined;
    await pass?.settle({ result });
  },
};

async function send(call: CallContext, parts: RoadParts) {
  const { tool, args, caller, continuation, onTurn, waitingSince: since } = call;
  const { signal, onProgress, timeoutMs } = call.request;
  call.isSent = true;
  try {
    return await parts.dispatch({
      server: tool.server,
      tool: tool.tool,
      args,
      client: clientOf(caller),
      continuation,
      trace: caller.trace,
      repeatable: call.operation === 'read',
      onTurn,
      signal,
      onProgress,
      timeoutMs,
      since,
    });
  } finally {
    releaseSlot(call, parts);
  }
}

function logWarnings(call: CallContext, { log }: RoadParts): void {
  const { flow, notes, record, caller, tool, operation } = call;
  if (flow) call.warn(flow);
  const { warnings } = notes;
  if (!warnings) return;
  const about = {
    record: record!.id,
    ...ofRequest(caller),
    tool: tool.name,
    variant: variantFor(operation),
    warnings,
  };
  log.warn(about, 'call allowed with a warning');
}
