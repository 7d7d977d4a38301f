import { z } from 'zod';
import { ToolVariant } from './operation.ts';
import type { ActivitySource } from './activity.ts';
import type { UserIntent } from './chat.ts';
import type { TokenScope } from './token.ts';

export const CallRequest = z.looseObject({
  tool_variant: ToolVariant,
  name: z.unknown().optional().describe('server:tool'),
  args: z.unknown().optional().describe('arguments as an object'),
  args_json: z
    .unknown()
    .optional()
    .describe('arguments as JSON text, instead of args; an object is treated as args'),
  intent: z.unknown().optional().describe('{operation_type, data_sensitivity?, reason?}'),
  timeout: z.string().optional(),
  approval_wait: z
    .string()
    .optional()
    .describe(
      'how long to wait for a decision before the call returns APPROVAL_PENDING; default: approvals.wait',
    ),
});
export type CallRequest = z.infer<typeof CallRequest>;

/** The result of the server, unchanged. */
export const CallResult = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })).optional(),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
});
export type CallResult = z.infer<typeof CallResult>;

/** Who a credential belongs to, and what it may do. */
export interface Identity {
  /** The credential's name: "operator" for the API key, "token:NAME" for an agent's token, "anonymous" where /mcp is open. */
  principal: string;
  /** Whose data the built-in servers work on. */
  userId: string;
  /** Set only for agent tokens. Names may be reused; ids never are. */
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
  /** The IP address of the client; absent where it is a program of this machine that uses no network. */
  address?: string;
  /** The trace that the call belongs to: that of the client, or a span of the proxy below it. */
  trace?: Trace;
}

/** What every record says about who caused it. */
export interface CallerMetadata {
  principal: string;
  token_id?: string;
  client_address?: string;
  trace_id?: string;
}

export function callerMetadata({ principal, token, address, trace }: Caller): CallerMetadata {
  return {
    principal,
    ...(token && { token_id: token.id }),
    ...(address && { client_address: address }),
    ...(trace && { trace_id: trace.traceId }),
  };
}

/** Which message led to a call, and by which decision: set by the task assistant. */
export interface ChatTrace {
  messageId: string;
  decisionId: string;
  userIntent: UserIntent;
  /** The number of the call within its decision, from 1. */
  sequence: number;
}

/**
 * Tells a call that its caller has disconnected. An AbortSignal fits this type. A door with many calls per second implements it itself,
 * because creating an AbortSignal per call would cost more than reading the request.
 */
export interface Cancellation {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: { handleEvent(): void }): void;
  removeEventListener(type: 'abort', listener: { handleEvent(): void }): void;
}

/** A client that has subscribed to resources. */
export interface ResourceWatcher {
  /** The resource has changed; `uri` is as its server wrote it. Called for every update, so it must be cheap. */
  updated(server: string, uri: string): void;
}

/** The position of a request in a trace, as in W3C Trace Context. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** `step`: a span within this process. */
export type SpanKind = 'server' | 'client' | 'step';
export type SpanAttributes = Record<string, string | number | boolean | undefined>;

/** The trace that a request belongs to. Without `begin` and `set` it is only propagated, because this process collects no spans. */
export interface Trace {
  readonly traceId: string;
  /** The parent context of the next span. */
  readonly context: TraceContext;
  begin?(name: string, kind?: SpanKind, attributes?: SpanAttributes): Span;
  /** Must not contain secrets, arguments or results: other people can read traces. */
  set?(attributes: SpanAttributes): void;
  /** Sets the error type. Only the first call has an effect. */
  fail?(type: string): void;
}

/** A span of a collected trace. */
export interface Span extends Required<Trace> {
  rename(name: string): void;
  end(): void;
}

export interface SpanOptions {
  /** The span of the client, in another process. */
  parent?: TraceContext | undefined;
  attributes?: SpanAttributes;
}

/** Begins spans without a parent in this process. Absent where no traces are collected. */
export interface Tracer {
  begin(name: string, kind: SpanKind, options?: SpanOptions): Span;
}

/** The extension of revision 2026-07-28. In 2025-11-25 tasks are a part of the protocol. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** Skills: instructions for models, with their files, which are resources. */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';

/** Whether a client of 2026-07-28 can be given a task instead of a result. */
export function knowsTasks(clientCapabilities: Readonly<Record<string, unknown>> | undefined): boolean {
  const extensions = clientCapabilities?.extensions as Record<string, unknown> | null | undefined;
  return typeof extensions === 'object' && typeof extensions?.[TASKS_EXTENSION] === 'object';
}

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** A call that its server works on in the background, as the server describes it. */
export interface ServerTask {
  id: string;
  status: TaskStatus;
  message?: string;
  pollMs?: number;
  /** 2026-07-28: the questions of a task that waits for input. */
  inputRequests?: Record<string, unknown>;
  /** 2026-07-28: how the task ended. In 2025-11-25 that is asked for by `tasks/result`. */
  result?: Record<string, unknown>;
  error?: unknown;
}

/** Links a caller with the task that a server makes of its call. Absent: the caller waits for the result and knows nothing of tasks. */
export interface TaskLink {
  /** 2025-11-25: the caller asks for a task that is kept for this time. */
  ttlMs?: number | undefined;
  /** How long the task may take; absent: as long as a call. */
  limitMs?: number | undefined;
  /** Called when the server has made a task, and with each of its states. Throws where the task must not go on. */
  changed(task: ServerTask): void;
  /** Set by the dispatcher: passes the answers to the questions of the task on to the server. Rejects where it did not get them. */
  answer?: (inputResponses: Record<string, unknown>) => Promise<void>;
  /** Set by the dispatcher: cancels the task, and ends the call with this error. */
  cancel?: (error: Error) => void;
  /** The proxy stops, and the task is to go on without it. */
  isKept?: boolean;
}
