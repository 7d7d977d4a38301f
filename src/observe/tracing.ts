import type { Log } from '../lib/log.ts';
import { readTraceSettings } from './trace-settings.ts';
import type { Tracing } from './trace-state.ts';

/** Collects spans where the standard variables of OpenTelemetry are set. The packages are loaded only then. */
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
