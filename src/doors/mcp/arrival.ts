import type { IncomingHttpHeaders } from 'node:http';
import { ToolVariant } from '../../contract/operation.ts';
import type { Identity, Span, Trace, TraceContext, Tracer } from '../../contract/call.ts';
import { passedOn, readContext } from '../../lib/trace.ts';
import { isObject } from '../../json/index.ts';
import type { Reply } from './reply.ts';
import { metaOf, type Outgoing, type Request } from './wire.ts';

/** How a request arrived: who sent it, and its HTTP headers where there are any. */
export interface Arrival {
  readonly requestId: string;
  readonly identity: Identity;
  /** The client uses /mcp/direct. */
  readonly isDirect?: boolean | undefined;
  /** The address of the client; absent over stdio. */
  readonly address?: string | undefined;
  readonly req?: { readonly headers: IncomingHttpHeaders };
}

/** What a span says about the client. */
interface SpanSubject {
  revision: string;
  principal: string;
  sessionId?: string | undefined;
}

/** Clients choose method names; unknown ones must not become span names. */
const METHODS = new Set([
  'tools/call',
  'tools/list',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'server/discover',
  'initialize',
  'ping',
]);
const OWN_TOOLS = new Set<unknown>([...ToolVariant.options, 'retrieve_tools', 'describe_tool']);

/** The trace context that the client sent: in the message, else in the headers. */
function parentOf({ params }: Request, { req }: Arrival): TraceContext | undefined {
  const meta = metaOf(params);
  const headers = req?.headers;
  // Most clients send none.
  if (meta?.traceparent === undefined && headers?.traceparent === undefined) return undefined;
  return (meta && readContext(meta)) ?? (headers && readContext(headers));
}

/** Begins the span of one request; its answer ends it. */
export function withSpan(
  tracer: Tracer,
  reply: Reply,
  { request, arrival, subject }: { request: Request; arrival: Arrival; subject: SpanSubject },
): Reply {
  const method = METHODS.has(request.method) ? request.method : '_OTHER';
  const named = method === 'tools/call' ? request.params?.name : undefined;
  const tool = OWN_TOOLS.has(named) ? (named as string) : undefined;
  const name = tool === undefined ? method : `${method} ${tool}`;
  const attributes = {
    'mcp.method.name': method,
    'mcp.protocol.version': subject.revision,
    'mcp.session.id': subject.sessionId,
    'gen_ai.operation.name': method === 'tools/call' ? 'execute_tool' : undefined,
    'gen_ai.tool.name': tool,
    'jsonrpc.request.id': String(request.id).slice(0, 64),
    'network.transport': arrival.req ? 'tcp' : 'pipe',
    'mcpproxy.request.id': arrival.requestId,
    'mcpproxy.principal': subject.principal,
  };
  const span = tracer.begin(name, 'server', { parent: parentOf(request, arrival), attributes });
  return new TracedReply(reply, span);
}

/** The trace that a call continues: the span of its request, or the context that the client sent. */
export function traceOf(reply: Reply, request: Request, arrival: Arrival): Trace | undefined {
  const parent = reply.span ? undefined : parentOf(request, arrival);
  return parent ? passedOn(parent) : reply.span;
}

class TracedReply implements Reply {
  readonly span: Span;
  readonly #reply: Reply;

  constructor(reply: Reply, span: Span) {
    this.#reply = reply;
    this.span = span;
  }

  get listening(): boolean {
    return this.#reply.listening;
  }

  notify(message: Outgoing): void {
    this.#reply.notify(message);
  }

  answer(message: Outgoing | Outgoing[], status?: number): void {
    if (!Array.isArray(message)) this.#setOutcome(message);
    this.span.end();
    this.#reply.answer(message, status);
  }

  cancelled(): void {
    this.span.fail('cancelled');
    this.span.end();
    this.#reply.cancelled();
  }

  #setOutcome(message: Outgoing): void {
    if ('error' in message) {
      this.span.set({ 'rpc.response.status_code': String(message.error.code) });
      this.span.fail(String(message.error.code));
    } else if ('result' in message && isObject(message.result) && message.result.isError === true) {
      this.span.fail('tool_error');
    }
  }
}

const WAIT = /(?:^|[,;\s])wait=(\d{1,4})(?:$|[,;\s])/i;
/** An answer needs some time to arrive. */
const MARGIN_MS = 500;

/** How long the client is willing to wait for an answer, where it says so: `Prefer: wait=5` (RFC 7240), in seconds. */
export function declaredWaitMs({ req }: Arrival): number | undefined {
  const prefer = req?.headers.prefer;
  if (typeof prefer !== 'string' || prefer.length > 200) return undefined;
  const seconds = WAIT.exec(prefer)?.[1];
  return seconds === undefined ? undefined : Math.max(0, Number(seconds) * 1_000 - MARGIN_MS);
}
