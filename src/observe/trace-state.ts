import type { Tracer } from '../contract/call.ts';

export interface TracingState {
  exporting: boolean;
  /** The address that spans are sent to. */
  to?: string;
  /** Why spans do not arrive there. */
  problem?: string;
  exported: number;
  /** Dropped because too many waited for the collector. */
  dropped: number;
  /** The collector did not accept them. */
  failed: number;
}

export interface Tracing {
  /** Undefined where no spans are collected, so that calls pay nothing. */
  readonly tracer: Tracer | undefined;
  state(): TracingState;
  /** Sends waiting spans to the collector, with a short time-out. */
  close(): Promise<void>;
}
