/** Bounds on everything that a client sends or keeps open. */
export interface McpLimits {
  bodyBytes: number;
  /** Messages in one batch; batches exist in revision 2025-03-26 only. */
  batch: number;
  sessions: number;
  /** An unused session ends after this time. */
  sessionIdleMs: number;
  /** Calls in flight per session, and per pipe. */
  inFlight: number;
  /** Calls in flight of all clients without sessions (revision 2026-07-28). */
  inFlightModern: number;
  subscriptions: number;
  /** What may wait in memory for a slow reader before its stream is closed. */
  bufferedBytes: number;
  /** After this much silence an open response sends a comment, so that no intermediary closes it as idle. */
  keepAliveMs: number;
  /** How long calls in flight may take to finish when the endpoint closes. */
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
