import type { WaitHooks } from '../approval/index.ts';
import type { CallResult, Caller, Cancellation, ChatTrace } from '../contract/call.ts';
import type { OperationType } from '../contract/operation.ts';
import type { Continuation, Progress } from '../upstream/dispatch/dispatch-call.ts';
import type { ClientChannel } from './asks/client-channel.ts';

/**
 * What a caller asks for, as a door has received it. The steps narrow it: `parse` turns the input into a `ParsedCall`, `look-up` finds the
 * tool. Prompts, resources and completions will be further types of request.
 */
export interface ToolCall {
  /** The operation that the caller chose by calling call_tool_read, call_tool_write or call_tool_destructive. */
  operation: OperationType;
  /** Unparsed: name, args or args_json, intent. */
  input: unknown;
}

export interface CallRequest extends ToolCall {
  /** 'verdict': the caller declared no operation. The look-up sets it from the verdict on the tool; until then `operation` is an assumption. */
  intentSource?: 'verdict' | undefined;
  caller: Caller;
  signal: Cancellation;
  onProgress?: (progress: Progress) => void;
  /** The caller's own limit; the server's limit still applies. */
  timeoutMs?: number;
  continuation?: Continuation;
  /** Whom the server of the call can ask; absent: nobody. */
  channel?: ClientChannel | undefined;
  /** Set by the task assistant: the message and the decision that led to the call. */
  trace?: ChatTrace;
  hooks?: WaitHooks | undefined;
  /** An approval that was given for exactly this call beforehand. */
  approvalId?: string;
}

export type CallTool = (request: CallRequest) => Promise<CallResult>;
