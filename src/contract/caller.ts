import type { ActivitySource } from './activity.ts';
import type { UserIntent } from './assistant.ts';
import type { TokenScope } from './token.ts';
import type { Trace } from './trace.ts';

/** Who a credential belongs to, and what it may do. */
export interface Identity {
  /** The credential's name: "operator" for the API key, "token:NAME" for an agent's token, "anonymous" where /mcp is open. */
  principal: string;
  /** Whose data the built-in servers work on. */
  userId: string;
  /** There exactly where the credential is an agent's token. Names may be used again; ids never are. */
  token?: { id: string; name: string; scope: TokenScope };
}

/** Who makes a call: set by the door from what it authenticated, never from what the call claims. */
export interface Caller extends Identity {
  source: ActivitySource;
  requestId: string;
  sessionId?: string;
  /** The conversation with the task assistant that the call belongs to. */
  conversationId?: string;
  /** The client program as it names itself, e.g. "claude-code 2.1". Untrusted text. */
  client?: string;
  /** The trace that the call belongs to: what the client says of it, or a span of our own beneath that. */
  trace?: Trace;
}

/** Which message led to a call, and by which decision: set by the task assistant. */
export interface ChatTrace {
  messageId: string;
  decisionId: string;
  userIntent: UserIntent;
  /** The place of the call among those of the decision, from 1. */
  sequence: number;
}

/**
 * How a call hears that its caller has gone. An AbortSignal is one. A door with many calls a second is one itself, as making a signal
 * for each would cost more than reading the request.
 */
export interface Cancellation {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: { handleEvent(): void }): void;
  removeEventListener(type: 'abort', listener: { handleEvent(): void }): void;
}
