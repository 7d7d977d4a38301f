import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Log } from '../lib/log.ts';

/** `OTEL_TRACES_EXPORTER=console`: a line per span in our own log, as stdout belongs to results and to MCP. */
export function createLogExporter(log: Log): SpanExporter {
  return {
    export(spans, done) {
      for (const span of spans) {
        const { name, attributes, duration, parentSpanContext } = span;
        const { traceId, spanId } = span.spanContext();
        const ms = Math.round(duration[0] * 1e6 + duration[1] / 1e3) / 1e3;
        const parent = parentSpanContext && { parent_span_id: parentSpanContext.spanId };
        log.info({ trace_id: traceId, span_id: spanId, ...parent, name, ms, attributes }, 'span');
      }
      done({ code: ExportResultCode.SUCCESS });
    },
    shutdown: async () => {},
  };
}
