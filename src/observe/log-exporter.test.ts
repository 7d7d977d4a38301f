import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import pino from 'pino';
import { expect, test } from 'vitest';
import { createLogExporter } from './log-exporter.ts';
import { createOtelTracer } from './otel-tracer.ts';

test('a line per span, with its place in the trace', () => {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  const provider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(createLogExporter(log))],
  });
  const span = createOtelTracer(provider.getTracer('test')).begin('outer', 'server', {
    attributes: { a: 1 },
  });
  const inner = span.begin('inner');
  inner.fail('BROKEN');
  inner.fail('LATER');
  inner.end();
  inner.set({ too: 'late' });
  inner.end();
  span.rename('renamed');
  span.end();
  const [first, second, ...more] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const outerId = span.context.traceparent.slice(36, 52);
  expect(first).toMatchObject({
    msg: 'span',
    name: 'inner',
    trace_id: span.traceId,
    parent_span_id: outerId,
    attributes: { 'error.type': 'BROKEN' },
  });
  expect(second).toMatchObject({ name: 'renamed', span_id: outerId, attributes: { a: 1 } });
  expect(first!.attributes).not.toHaveProperty('too');
  expect(more).toEqual([]);
});
