import { API_PREFIX, type Route } from '../../contract/routes/api.ts';
import type { Trace, Span, Tracer } from '../../contract/call.ts';
import { passedOn, readContext } from '../../lib/trace.ts';

/** Monitoring would fill the traces with its own requests. */
const UNTRACED = new Set(['/metrics', '/openapi.json']);

/** Begins the span of a request to the API. It has no address, which may contain a search text. */
export function beginRequest(
  tracer: Tracer | undefined,
  request: Request,
  { requestId, principal }: { requestId: string; principal: string },
): Span | undefined {
  if (!tracer || UNTRACED.has(new URL(request.url).pathname)) return undefined;
  const attributes = {
    'http.request.method': request.method,
    'mcpproxy.request.id': requestId,
    'mcpproxy.principal': principal,
  };
  return tracer.begin(request.method, 'server', { parent: contextOf(request.headers), attributes });
}

/** Names the span by its route, not by its path, which may contain names. */
export function traceRoute(span: Span, { method, path }: Route): void {
  const route = API_PREFIX + path;
  span.set({ 'http.route': route });
  span.rename(`${method} ${route}`);
}

export function endRequest(span: Span, { status }: Response): void {
  span.set({ 'http.response.status_code': status });
  // A rejected request is answered as intended; only a 5xx is an error of this server.
  if (status >= 500) span.fail(String(status));
  span.end();
}

/** The trace that a request continues: our span, or the context in its headers. */
export function traceOf(span: Span | undefined, headers: Headers): Trace | undefined {
  return span ?? passedOn(contextOf(headers));
}

function contextOf(headers: Headers) {
  return readContext({ traceparent: headers.get('traceparent'), tracestate: headers.get('tracestate') });
}
