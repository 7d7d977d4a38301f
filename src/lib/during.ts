import { toProxyError } from '../contract/errors.ts';
import type { Span, Trace } from '../contract/trace.ts';

/** Shows in the trace how long this takes. Where no spans are collected it is the work itself, at no cost. */
export function during<T>(trace: Trace | undefined, name: string, work: Promise<T>): Promise<T> {
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
