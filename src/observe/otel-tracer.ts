import {
  createTraceState,
  ROOT_CONTEXT,
  SpanKind as Kind,
  SpanStatusCode,
  trace,
  type Context,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import type { Span, SpanAttributes, SpanKind, TraceContext, Tracer } from '../contract/call.ts';
import { traceIdOf } from '../lib/trace.ts';

const KINDS: Record<SpanKind, Kind> = { server: Kind.SERVER, client: Kind.CLIENT, step: Kind.INTERNAL };

/** Our own small tracer interface: the parent is always passed, so no async context has to be tracked. */
export function createOtelTracer(tracer: OtelTracer): Tracer {
  return {
    begin: (name, kind, { parent, attributes = {} } = {}) =>
      new CollectedSpan(
        tracer,
        tracer.startSpan(name, { kind: KINDS[kind], attributes }, parent ? remote(parent) : ROOT_CONTEXT),
      ),
  };
}

/** A parent in another process, from the client's trace context. */
function remote(parent: TraceContext): Context {
  const { traceparent, tracestate } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: traceIdOf(parent),
    spanId: traceparent.slice(36, 52),
    traceFlags: Number.parseInt(traceparent.slice(53), 16) & 1,
    isRemote: true,
    ...(tracestate && { traceState: createTraceState(tracestate) }),
  });
}

class CollectedSpan implements Span {
  readonly traceId: string;
  readonly context: TraceContext;
  readonly #tracer: OtelTracer;
  readonly #span: OtelSpan;
  #failed = false;
  #ended = false;

  constructor(tracer: OtelTracer, span: OtelSpan) {
    this.#tracer = tracer;
    this.#span = span;
    const { traceId, spanId, traceFlags, traceState } = span.spanContext();
    const traceparent = `00-${traceId}-${spanId}-0${traceFlags & 1}`;
    const tracestate = traceState?.serialize();
    this.traceId = traceId;
    this.context = tracestate ? { traceparent, tracestate } : { traceparent };
  }

  begin(name: string, kind: SpanKind = 'step', attributes: SpanAttributes = {}): Span {
    const parent = trace.setSpan(ROOT_CONTEXT, this.#span);
    return new CollectedSpan(
      this.#tracer,
      this.#tracer.startSpan(name, { kind: KINDS[kind], attributes }, parent),
    );
  }

  set(attributes: SpanAttributes): void {
    if (!this.#ended) this.#span.setAttributes(attributes);
  }

  rename(name: string): void {
    if (!this.#ended) this.#span.updateName(name);
  }

  fail(type: string): void {
    if (this.#failed || this.#ended) return;
    this.#failed = true;
    this.#span.setAttribute('error.type', type);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  /** Later calls have no effect. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#span.end();
  }
}
