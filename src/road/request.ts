import type { Hold } from '../approval/index.ts';
import type { CallResult, Caller, Cancellation, ChatTrace } from '../contract/call.ts';
import type { ToolVariant } from '../contract/operation.ts';
import type { Continuation, Progress } from '../upstream/dispatch/dispatch-call.ts';

/** What a caller asks for, as it came through a door. Prompts and resources become further kinds. */
export interface ToolCall {
  variant: ToolVariant;
  /** Unparsed: name, args or args_json, intent. */
  input: unknown;
}

export interface CallRequest extends ToolCall {
  caller: Caller;
  signal: Cancellation;
  onProgress?: (progress: Progress) => void;
  /** The caller's own limit; the server's limit still holds. */
  timeoutMs?: number;
  continuation?: Continuation;
  /** Set by the task assistant: the message and the decision that led to the call. */
  trace?: ChatTrace;
  hold?: Hold | undefined;
  /** An approval that was given for exactly this call beforehand. */
  approvalId?: string;
}

export type CallTool = (request: CallRequest) => Promise<CallResult>;
