import type { CallResult, Span } from '../../contract/call.ts';
import { toProxyError } from '../../contract/errors.ts';
import type { Dispatch, DispatchCall } from './dispatch-call.ts';

/** What is sent to a server is a span of its own, from its place in the server's queue to the answer; the server is given it as parent. */
export function traceDispatch(method: string, dispatch: Dispatch): Dispatch {
  return (call) => {
    const span = call.trace?.begin?.(`${method} ${call.tool}`, 'client', {
      'mcp.method.name': method,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': call.tool,
      'mcpproxy.server': call.server,
    });
    return span ? inSpan(span, dispatch, { ...call, trace: span }) : dispatch(call);
  };
}

async function inSpan(span: Span, dispatch: Dispatch, call: DispatchCall): Promise<CallResult> {
  try {
    const result = await dispatch(call);
    if (result.isError === true) span.fail('tool_error');
    return result;
  } catch (error) {
    span.fail(toProxyError(error).code);
    throw error;
  } finally {
    span.end();
  }
}
