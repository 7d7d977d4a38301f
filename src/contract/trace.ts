/** Where a request stands in a trace, in the words of W3C Trace Context. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** `step`: time that passes within this process. */
export type SpanKind = 'server' | 'client' | 'step';
export type SpanAttributes = Record<string, string | number | boolean | undefined>;

/** The trace that a request belongs to. Without `begin` and `set` it is only passed on, as nobody collects spans here. */
export interface Trace {
  readonly traceId: string;
  /** What the next one down gets as its parent. */
  readonly context: TraceContext;
  begin?(name: string, kind?: SpanKind, attributes?: SpanAttributes): Span;
  /** Neither secrets nor arguments nor results: a trace goes where other eyes are. */
  set?(attributes: SpanAttributes): void;
  /** What went wrong, in one word. The first one counts. */
  fail?(type: string): void;
}

/** A stretch of time in a trace that is collected. */
export interface Span extends Required<Trace> {
  rename(name: string): void;
  end(): void;
}

/** Begins what has no parent in this process. Absent wherever no traces are wanted. */
export interface Tracer {
  begin(name: string, kind: SpanKind, parent?: TraceContext, attributes?: SpanAttributes): Span;
}
