import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Log } from '../lib/log.ts';
import { visibleLine } from '../lib/visible-text.ts';

export interface ExportCounts {
  exported: number;
  dropped: number;
  failed: number;
  /** While the last batch could not be exported: why. */
  problem: string | undefined;
}

const SAMPLED = 1;

/** Counts what is exported, and logs once when the collector becomes unavailable and once when it is back. */
export function watchExporter(
  exporter: SpanExporter,
  { counts, to, log }: { counts: ExportCounts; to: string; log: Log },
): SpanExporter {
  function failed(spans: number, error: Error | undefined): void {
    counts.failed += spans;
    const reason = visibleLine((error?.message || 'no reason given').slice(0, 200));
    if (counts.problem === undefined)
      log.warn({ to, reason }, 'spans cannot be exported; calls are not affected, and this is logged once');
    counts.problem = reason;
  }

  function succeeded(spans: number): void {
    counts.exported += spans;
    if (counts.problem !== undefined) log.info({ to }, 'spans are exported again');
    counts.problem = undefined;
  }

  return {
    export(spans, done) {
      const ended = (result: ExportResult) => {
        if (result.code === ExportResultCode.SUCCESS) succeeded(spans.length);
        else failed(spans.length, result.error);
        done(result);
      };
      try {
        exporter.export(spans, ended);
      } catch (error) {
        ended({ code: ExportResultCode.FAILED, error: error as Error });
      }
    },
    shutdown: () => exporter.shutdown(),
  };
}

interface SpanQueueParts {
  counts: ExportCounts;
  limit: number;
  /** Creates the processor that exports spans in batches. */
  createBatches: (exporter: SpanExporter) => SpanProcessor;
}

/** A bounded queue in front of the exporter that counts the spans it drops. */
export function createSpanQueue(
  exporter: SpanExporter,
  { counts, limit, createBatches }: SpanQueueParts,
): SpanProcessor {
  let waiting = 0;
  const inner = createBatches({
    export(spans, done) {
      waiting -= spans.length;
      exporter.export(spans, done);
    },
    shutdown: () => exporter.shutdown(),
  });
  return {
    onStart: (span, context) => inner.onStart(span, context),
    onEnd(span: ReadableSpan) {
      if ((span.spanContext().traceFlags & SAMPLED) === 0) return;
      if (waiting >= limit) counts.dropped++;
      else {
        waiting++;
        inner.onEnd(span);
      }
    },
    forceFlush: () => inner.forceFlush(),
    shutdown: () => inner.shutdown(),
  };
}
