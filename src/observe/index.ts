/** The door of this folder: other folders import from here and nowhere else. */
export { createCallLog } from './log-calls.ts';
export { watchEventLoop } from './loop-watch.ts';
export { createServerChanges } from './server-changes.ts';
export { createMetrics } from './metrics.ts';
export { openTracing } from './tracing.ts';
