import type { CallResult, Span } from '../../contract/call.ts';
import { toProxyError } from '../../contract/errors.ts';
import { connectionsOf, type Upstreams } from '../upstreams.ts';
import type { Dispatch, DispatchCall } from './dispatch-call.ts';
import { DispatchedCall } from './dispatched-call.ts';
import { unknownServer } from './failures.ts';

const METHOD = 'tools/call';

/** The only place that sends a tool call. Nothing but the road may call it. */
export function createDispatch(upstreams: Upstreams): Dispatch {
  const connections = connectionsOf(upstreams);
  return withSpan((call) => {
    const upstream = connections.get(call.server)?.upstream;
    if (!upstream) return Promise.reject(unknownServer(call));
    return new DispatchedCall(METHOD, upstream, call).run();
  });
}

/** Traces the exchange with the server, from the server's queue to the answer. The server receives this span as the parent of its own spans. */
function withSpan(dispatch: Dispatch): Dispatch {
  return (call) => {
    const span = call.trace?.begin?.(`${METHOD} ${call.tool}`, 'client', {
      'mcp.method.name': METHOD,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': call.tool,
      'mcpproxy.server': call.server,
    });
    return span ? runInSpan(span, dispatch, { ...call, trace: span }) : dispatch(call);
  };
}

async function runInSpan(span: Span, dispatch: Dispatch, call: DispatchCall): Promise<CallResult> {
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
