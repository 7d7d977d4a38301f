import type { ActivitySource } from './activity.ts';

/** Who makes a call: set by the door from what it authenticated, never from what the call claims. */
export interface Caller {
  source: ActivitySource;
  /** The credential's name: "operator" for the API key. */
  principal: string;
  /** Whose data the built-in servers work on. */
  userId: string;
  requestId: string;
  sessionId?: string;
  /** The client program as it names itself, e.g. "claude-code 2.1". Untrusted text. */
  client?: string;
}
