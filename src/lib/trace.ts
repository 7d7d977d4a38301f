import type { Trace, TraceContext, Span } from '../contract/call.ts';
import { toProxyError } from '../contract/errors.ts';

/** Version, trace, parent, flags. An id of zeros is none, and version ff is forbidden. */
const PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
/** It goes into a header again, so nothing else than plain text may be in it. */
const STATE = /^[\x20-\x7e]{1,512}$/;

/** What `_meta` or headers say; undefined for anything that is no trace context. A state that is not good is left out. */
export function readContext(said: Readonly<Record<string, unknown>>): TraceContext | undefined {
  const { traceparent } = said;
  if (typeof traceparent !== 'string' || !PARENT.test(traceparent)) return undefined;
  const { tracestate } = said;
  return typeof tracestate === 'string' && STATE.test(tracestate)
    ? { traceparent, tracestate }
    : { traceparent };
}

export function traceIdOf({ traceparent }: TraceContext): string {
  return traceparent.slice(3, 35);
}

/** A trace of somebody else's, to which nothing is added here. */
export function passedOn(context: TraceContext | undefined): Trace | undefined {
  return context && { traceId: traceIdOf(context), context };
}

/** Records the duration of the work as a span. Without a collector it returns the work itself, at no cost. */
export function withSpan<T>(trace: Trace | undefined, name: string, work: Promise<T>): Promise<T> {
  const span = trace?.begin?.(name);
  return span ? untilEnd(span, work) : work;
}

async function untilEnd<T>(span: Span, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    span.fail(toProxyError(error).code);
    throw error;
  } finally {
    span.end();
  }
}
