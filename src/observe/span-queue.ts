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

/** The same exporter; a collector that is away is told of once, and once when it is back. */
export function watchExporter(
  exporter: SpanExporter,
  { counts, to, log }: { counts: ExportCounts; to: string; log: Log },
): SpanExporter {
  function failed(spans: number, error: Error | undefined): void {
    counts.failed += spans;
    const reason = visibleLine((error?.message || 'no reason given').slice(0, 200));
    if (counts.problem === undefined)
      log.warn({ to, reason }, 'spans cannot be exported; calls go on, and this is not told again');
    counts.problem = reason;
  }

  function worked(spans: number): void {
    counts.exported += spans;
    if (counts.problem !== undefined) log.info({ to }, 'spans are exported again');
    counts.problem = undefined;
  }

  return {
    export(spans, done) {
      const ended = (result: ExportResult) => {
        if (result.code === ExportResultCode.SUCCESS) worked(spans.length);
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

/** A bounded queue in front of the exporter that counts what it has to leave out. */
export function createSpanQueue(
  exporter: SpanExporter,
  counts: ExportCounts,
  limit: number,
  batches: (exporter: SpanExporter) => SpanProcessor,
): SpanProcessor {
  let waiting = 0;
  const inner = batches({
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
