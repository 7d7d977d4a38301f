import type { CallResult, Cancellation, Trace } from '../../contract/call.ts';

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

/**
 * For servers that answer "input required" (2026-07-28): what the caller can do and what it brings to the next round. The proxy keeps
 * no state of such an exchange; it passes these on as they are. Servers of the older era never see them.
 */
export interface Continuation {
  clientCapabilities?: Record<string, unknown>;
  inputResponses?: unknown;
  requestState?: unknown;
}

export interface DispatchCall {
  server: string;
  tool: string;
  args: Record<string, unknown>;
  signal: Cancellation;
  /** Whose call it is; clients share a busy server fairly. */
  client?: string | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  timeoutMs?: number | undefined;
  /** A read: where it could not be sent, and never left, it may be tried once more. */
  repeatable?: boolean | undefined;
  /** Asked when its turn has come, right before it is sent; throws where it may not be sent any more. */
  onTurn?: (() => void) | undefined;
  /** When its time began to run, on the clock of `performance.now()`; default: now. */
  since?: number | undefined;
  continuation?: Continuation | undefined;
  /** Told to the server, so that its own spans find their parent. */
  trace?: Trace | undefined;
}

/** Sends one call to its upstream and gives back the result untouched. Only `call/` may use this. */
export type Dispatch = (call: DispatchCall) => Promise<CallResult>;
