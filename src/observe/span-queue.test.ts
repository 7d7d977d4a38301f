import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import pino from 'pino';
import { afterEach, expect, test } from 'vitest';
import { createOtelTracer } from './otel-tracer.ts';
import { createSpanQueue, watchExporter, type ExportCounts } from './span-queue.ts';

const [OK, FAILED]: ExportResult[] = [
  { code: ExportResultCode.SUCCESS },
  { code: ExportResultCode.FAILED, error: new Error('away\u001b[31m') },
];
const open: BasicTracerProvider[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((provider) => provider.shutdown().catch(() => {})));
});

function start(exporter: SpanExporter['export'], limit = 10) {
  const counts: ExportCounts = { exported: 0, dropped: 0, failed: 0, problem: undefined };
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  const watched = watchExporter(
    { export: exporter, shutdown: async () => {} },
    { counts, to: 'http://c', log },
  );
  const queue = createSpanQueue(watched, {
    counts,
    limit,
    createBatches: (inner) =>
      new BatchSpanProcessor(inner, {
        maxQueueSize: limit,
        maxExportBatchSize: 4,
        scheduledDelayMillis: 5,
        exportTimeoutMillis: 50,
      }),
  });
  const provider = new BasicTracerProvider({ spanProcessors: [queue] });
  open.push(provider);
  const tracer = createOtelTracer(provider.getTracer('test'));
  const make = (spans: number) => {
    for (let i = 0; i < spans; i++) tracer.begin('one', 'server').end();
  };
  return { counts, lines, make, provider };
}

test('a collector that never answers: what is too much is dropped and counted, and nobody waits', () => {
  const { counts, make } = start(() => {});
  make(100);
  // Four are on their way, ten wait.
  expect(counts).toMatchObject({ dropped: 86, exported: 0, failed: 0 });
});

test('a collector that is away is told of once, and so is its return', async () => {
  let result = FAILED!;
  const { counts, lines, make, provider } = start((_spans, done) => done(result));
  for (const now of [FAILED!, FAILED!, OK!]) {
    result = now;
    make(2);
    await provider.forceFlush().catch(() => {});
  }
  expect(counts).toEqual({ exported: 2, dropped: 0, failed: 4, problem: undefined });
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    'spans cannot be exported; calls are not affected, and this is logged once',
    'spans are exported again',
  ]);
  expect(lines.join('')).not.toContain('\\u001b');
});

test('an exporter that breaks is one that fails', async () => {
  const { counts, make, provider } = start(() => {
    throw new Error('broken');
  });
  make(3);
  await provider.forceFlush().catch(() => {});
  expect(counts).toEqual({ exported: 0, dropped: 0, failed: 3, problem: 'broken' });
});

test('spans that the client does not want sampled are neither exported nor counted', async () => {
  const seen: number[] = [];
  const { counts, provider } = start((spans, done) => {
    seen.push(spans.length);
    done(OK!);
  });
  const tracer = createOtelTracer(provider.getTracer('test'));
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const span = tracer.begin('one', 'server', {
    parent: { traceparent: `00-${trace}-b7ad6b7169203331-00` },
  });
  const child = span.begin('two');
  expect(span.context.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`));
  child.end();
  span.end();
  await provider.forceFlush();
  expect(seen).toEqual([]);
  expect(counts).toMatchObject({ exported: 0, dropped: 0 });
});
