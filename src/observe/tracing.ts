import type { Tracer } from '../contract/trace.ts';
import type { Log } from '../lib/log.ts';
import { readTraceSettings } from './trace-settings.ts';

export interface TracingState {
  exporting: boolean;
  /** Where spans go. */
  to?: string;
  /** Why they do not arrive there. */
  problem?: string;
  exported: number;
  /** Too many waited for the collector. */
  dropped: number;
  /** The collector did not take them. */
  failed: number;
}

export interface Tracing {
  /** Absent where nobody asks for spans: then a call costs nothing more. */
  readonly tracer: Tracer | undefined;
  state(): TracingState;
  /** Gives what waits to the collector, for a moment at most. */
  close(): Promise<void>;
}

/** Collects spans where the standard variables of OpenTelemetry ask for it. Only then is anything of it loaded. */
export async function openTracing(parts: {
  env: NodeJS.ProcessEnv;
  version: string;
  log: Log;
}): Promise<Tracing> {
  const settings = readTraceSettings(parts.env);
  if (settings.exporters.length > 0) {
    const { createOtelTracing } = await import('./otel-tracing.ts');
    return createOtelTracing(settings, parts);
  }
  const { problem } = settings;
  if (problem) parts.log.error(`no spans are collected: ${problem}`);
  const state = { exporting: false, ...(problem && { problem }), exported: 0, dropped: 0, failed: 0 };
  return { tracer: undefined, state: () => state, close: async () => {} };
}
