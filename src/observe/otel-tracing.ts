import { diag, DiagLogLevel } from '@opentelemetry/api';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Log } from '../lib/log.ts';
import { visibleLine } from '../lib/visible-text.ts';
import { createLogExporter } from './log-exporter.ts';
import { createOtelTracer } from './otel-tracer.ts';
import { createSpanQueue, watchExporter, type ExportCounts } from './span-queue.ts';
import type { TraceProtocol, TraceSettings } from './trace-settings.ts';
import type { Tracing } from './trace-state.ts';

/** How long shutdown waits for a collector. */
const CLOSE_MS = 2_000;

/** The packages read the rest of the variables themselves: headers, timeouts, sampler, limits, resource. */
export async function createOtelTracing(
  settings: TraceSettings,
  { version, log }: { version: string; log: Log },
): Promise<Tracing> {
  const counts: ExportCounts = { exported: 0, dropped: 0, failed: 0, problem: undefined };
  const exporters = await withProblemsLogged(log, () => exportersFor(settings, log));
  const { maxQueue, to } = settings;
  const provider = await withProblemsLogged(log, () => {
    const spanProcessors = exporters.map((exporter) =>
      createSpanQueue(watchExporter(exporter, { counts, to, log }), {
        counts,
        limit: maxQueue,
        createBatches: (watched) => new BatchSpanProcessor(watched, { maxQueueSize: maxQueue }),
      }),
    );
    return new BasicTracerProvider({ resource: resourceOf(version), spanProcessors });
  });
  log.info({ to, protocol: settings.protocol }, 'spans are collected');
  return {
    tracer: createOtelTracer(provider.getTracer('mcpproxy', version)),
    state: () => {
      const { problem, ...numbers } = counts;
      return { exporting: true, to, ...(problem && { problem }), ...numbers };
    },
    close: () => waitAtMost(CLOSE_MS, provider.shutdown()),
  };
}

async function waitAtMost(ms: number, work: Promise<void>): Promise<void> {
  await new Promise<void>((done) => {
    const timer = setTimeout(done, ms);
    const finish = () => {
      clearTimeout(timer);
      done();
    };
    work.then(finish, finish);
  });
}

/** Logs problems with the variables once, at the start; later problems are reported by the exporter. */
async function withProblemsLogged<T>(log: Log, make: () => T | Promise<T>): Promise<T> {
  const warn = (text: string) => log.warn(`traces: ${visibleLine(text.slice(0, 300))}`);
  const silent = () => {};
  const logger = { error: warn, warn, info: silent, debug: silent, verbose: silent };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  try {
    return await make();
  } finally {
    diag.disable();
  }
}

async function exportersFor({ exporters, protocol }: TraceSettings, log: Log): Promise<SpanExporter[]> {
  return Promise.all(
    exporters.map(async (each) => (each === 'console' ? createLogExporter(log) : otlpExporter(protocol))),
  );
}

async function otlpExporter(protocol: TraceProtocol): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}

function resourceOf(version: string) {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'mcpproxy', 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }));
}
