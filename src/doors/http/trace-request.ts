import { API_PREFIX } from '../../contract/routes/api.ts';
import type { Route } from '../../contract/routes/api.ts';
import type { Trace, Span, Tracer } from '../../contract/call.ts';
import { passedOn, readContext } from '../../lib/trace.ts';

/** Who only watches would fill the traces with itself. */
const UNTRACED = new Set(['/metrics', '/openapi.json']);

/** Begins the span of a request to the API. The address is not in it: it may hold what somebody searches for. */
export function beginRequest(
  tracer: Tracer | undefined,
  request: Request,
  { requestId, principal }: { requestId: string; principal: string },
): Span | undefined {
  if (!tracer || UNTRACED.has(new URL(request.url).pathname)) return undefined;
  return tracer.begin(request.method, 'server', contextOf(request.headers), {
    'http.request.method': request.method,
    'mcpproxy.request.id': requestId,
    'mcpproxy.principal': principal,
  });
}

/** Known once the route is: the name is that of the route, not of what is asked for. */
export function traceRoute(span: Span, { method, path }: Route): void {
  const route = API_PREFIX + path;
  span.set({ 'http.route': route });
  span.rename(`${method} ${route}`);
}

export function endRequest(span: Span, { status }: Response): void {
  span.set({ 'http.response.status_code': status });
  // A request that was refused has been answered as it should; only what breaks here is an error of the server.
  if (status >= 500) span.fail(String(status));
  span.end();
}

/** The trace that goes on with a request: our span, or what its headers say as it is. */
export function traceOf(span: Span | undefined, headers: Headers): Trace | undefined {
  return span ?? passedOn(contextOf(headers));
}

function contextOf(headers: Headers) {
  return readContext({ traceparent: headers.get('traceparent'), tracestate: headers.get('tracestate') });
}
