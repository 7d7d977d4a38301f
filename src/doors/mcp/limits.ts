/** Nothing that a client sends or keeps open is without a bound. */
export interface McpLimits {
  bodyBytes: number;
  /** Messages in one batch; batches exist in revision 2025-03-26 only. */
  batch: number;
  sessions: number;
  /** A session that is not used for so long is ended. */
  sessionIdleMs: number;
  /** Calls in flight per session, and per pipe. */
  inFlight: number;
  /** Calls in flight of all clients that need no session. */
  inFlightModern: number;
  subscriptions: number;
  /** What may wait in memory for a reader that does not keep up, before its stream is cut. */
  bufferedBytes: number;
  /** After so much silence an open answer sends a comment, so that nothing in between takes it for dead. */
  keepAliveMs: number;
  /** How long calls in flight may still finish when the endpoint closes. */
  drainMs: number;
  badRequestsPerMinute: number;
}

export const MCP_LIMITS: Readonly<McpLimits> = {
  bodyBytes: 16 * 1024 * 1024,
  batch: 50,
  sessions: 1_000,
  sessionIdleMs: 60 * 60 * 1_000,
  inFlight: 256,
  inFlightModern: 1_024,
  subscriptions: 256,
  bufferedBytes: 8 * 1024 * 1024,
  keepAliveMs: 10_000,
  drainMs: 5_000,
  badRequestsPerMinute: 100,
};
