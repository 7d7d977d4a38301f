import type { WaitHooks } from '../approval/index.ts';
import type { CallResult, Caller, Cancellation, ChatTrace, ResourceWatcher } from '../contract/call.ts';
import type { OperationType } from '../contract/operation.ts';
import type { TaskLink } from '../contract/call.ts';
import type { Continuation, ItemCall, Progress } from '../upstream/dispatch/dispatch-call.ts';
import type { ClientChannel } from './asks/client-channel.ts';

/** A request for something else than a tool call. */
export type ItemRequest = ItemCall;

/**
 * What a caller asks for, as a door has received it. The steps narrow it: `parse` turns the input into a `ParsedCall`, `look-up` finds the
 * tool, prompt or resource.
 */
export interface Asked {
  /** Absent: a tool call. */
  kind?: ItemRequest | undefined;
  /** The operation that the caller chose by calling call_tool_read, call_tool_write or call_tool_destructive. */
  operation: OperationType;
  /** Unparsed: name, args or args_json, intent; for the other kinds the parameters of the protocol. */
  input: unknown;
}

export interface CallRequest extends Asked {
  /** 'verdict': the caller declared no operation. The look-up sets it from the verdict on the tool; until then `operation` is an assumption. */
  intentSource?: 'verdict' | undefined;
  /** Of a subscription: who is told of changes. */
  watcher?: ResourceWatcher | undefined;
  /** Why, for the record, where the input has no intent. */
  reason?: string | undefined;
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
  /** For a caller that can be given a task instead of the result. */
  task?: TaskLink | undefined;
  /** A task of the server that an earlier call of this caller has started: it is followed to its end, and nothing is called. */
  resumes?: string | undefined;
  /** An approval that was given for exactly this call beforehand. */
  approvalId?: string;
}

export type CallTool = (request: CallRequest) => Promise<CallResult>;
