import type { CallResult, Cancellation, ResourceWatcher, TaskLink, Trace } from '../../contract/call.ts';
import type { ClientSession } from '../sessions/client-connections.ts';

export { FEATURE_OF, isAskMethod, permittedCapabilities } from '../asks/capabilities.ts';
export type { AskMethod, Feature } from '../asks/capabilities.ts';
export { METHOD_NOT_FOUND, type ServerAsk } from '../asks/lane-asks.ts';
export { featuresOf } from '../sessions/leases.ts';
export type { ClientSession } from '../sessions/client-connections.ts';

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

/**
 * For servers that answer "input required" (2026-07-28): the caller's capabilities and its answers for the next round. The proxy keeps no
 * state of such an exchange and passes these on unchanged. Servers of the older era never receive them.
 */
export interface Continuation {
  clientCapabilities?: Record<string, unknown>;
  inputResponses?: unknown;
  requestState?: unknown;
}

/** What is sent instead of a tool call. */
export type ItemCall =
  | 'prompt'
  | 'resource'
  | 'completion'
  | 'subscribe'
  | 'unsubscribe'
  | 'skill'
  | 'directory';

export interface DispatchCall {
  server: string;
  /** The name of the tool or prompt, or the URI of the resource. */
  tool: string;
  /** Absent: a tool call. */
  kind?: ItemCall | undefined;
  /** Of a subscription. */
  watcher?: ResourceWatcher | undefined;
  /** Of a completion: all parameters. */
  args: Record<string, unknown>;
  signal: Cancellation;
  /** The client of the call; clients share a busy server fairly. */
  client?: string | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  timeoutMs?: number | undefined;
  /** A read: it may be retried once if it was never sent. */
  repeatable?: boolean | undefined;
  /** Called right before the call is sent; throws if it may no longer be sent. */
  onTurn?: (() => void) | undefined;
  /** When its time limit started, on the clock of `performance.now()`; default: now. */
  since?: number | undefined;
  continuation?: Continuation | undefined;
  /** Called when the server makes a task of the call. */
  task?: (() => TaskLink) | undefined;
  /** The server can run the tool only as a task, or the caller asks for one. */
  asTask?: boolean | undefined;
  /** A task that the server works on already, since before a restart of the proxy: it is followed, and nothing is called. */
  resumes?: string | undefined;
  /** Whom the server can ask; absent: nobody. */
  session?: ClientSession | undefined;
  /** Sent to the server, as the parent of its spans. */
  trace?: Trace | undefined;
}

/** Sends one call to its server and returns the result unchanged. Only the road may use this. */
export type Dispatch = (call: DispatchCall) => Promise<CallResult>;
