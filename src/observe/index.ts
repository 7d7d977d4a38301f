/** The door of this folder: other folders import from here and nowhere else. */
export { sumSeries, type Series } from './sum-series.ts';
export { watchEventLoop } from './loop-watch.ts';
export { createServerChanges } from './server-changes.ts';
export { createCallLog, createMetrics } from './calls.ts';
export { openTracing } from './tracing.ts';
export { createUnheardAsks } from './unheard-asks.ts';
