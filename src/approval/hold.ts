import type { Approval } from '../contract/approval.ts';
import type { CallResult, Cancellation } from '../contract/call.ts';
import type { ProxyError } from '../contract/errors.ts';

/** What the door can do for a call that waits. */
export interface Hold {
  /** How long the request may be kept open; the configuration says so otherwise. */
  readonly waitMs?: number | undefined;
  /** Once the signal has fired: whether the caller has taken its question back, or is only out of reach. */
  withdrawn?(): boolean;
  /** Whether somebody would get the result. An approval is not used up for nobody. */
  listening?(): boolean;
  /** Whether a person is being asked in a dialog of the client: then the request is kept open for as long as the approval lasts. */
  isAsking?(): boolean;
  /** The call begins to wait. `recheck`: to be called when `isAsking` has changed. */
  onHeld?(approval: Approval, recheck: () => void): void;
  /** It does not wait any more, however that ended. */
  onReleased?(): void;
}

export interface Waiting {
  signal: Cancellation;
  waitMs: number;
  hold?: Hold | undefined;
  onProgress?: ((progress: { progress: number; message: string }) => void) | undefined;
}

/** The right to make the call, used up. */
export interface Pass {
  /** For the record of the call. */
  trail: Record<string, unknown>;
  /** There where another request with the same call makes it: its result is for both. */
  shared?: Promise<CallResult>;
  /** Nothing was sent after all. */
  giveBack(): Promise<void>;
  settle(outcome: { result: CallResult } | { error: ProxyError }): Promise<void>;
}
