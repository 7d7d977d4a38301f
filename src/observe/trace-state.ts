import type { Tracer } from '../contract/call.ts';

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
