import type { ActivityStatus } from '../contract/activity.ts';
import type { ProxyError } from '../contract/errors.ts';
import type { OperationType } from '../contract/operation.ts';
import type { Trace } from '../contract/call.ts';

/** Names the record in the trace of the call. */
export function traceOpened(trace: Trace, recordId: string, operation: OperationType): void {
  trace.set?.({ 'mcpproxy.record.id': recordId, 'mcpproxy.operation': operation });
}

/** Only a known tool is named: a caller can send any text as a name. */
export function traceTool(trace: Trace, known: { server: string; tool: string } | undefined): void {
  if (known) trace.set?.({ 'mcpproxy.server': known.server, 'mcpproxy.tool': known.tool });
}

export function traceResult(trace: Trace, status: ActivityStatus): void {
  trace.set?.({ 'mcpproxy.status': status });
  if (status === 'error') trace.fail?.('tool_error');
}

/** A call that waits for an approval has not failed. */
export function traceError(trace: Trace, { code, outcome }: ProxyError): void {
  trace.set?.({ 'mcpproxy.status': outcome });
  if (outcome !== 'pending') trace.fail?.(code);
}
