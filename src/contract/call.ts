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
    .describe('arguments as JSON text, instead of args; an object is taken as args'),
  intent: z.unknown().optional().describe('{operation_type, data_sensitivity?, reason?}'),
  timeout: z.string().optional(),
  approval_wait: z
    .string()
    .optional()
    .describe(
      'how long to wait for a person before the call is answered as pending; default: approvals.wait',
    ),
});
export type CallRequest = z.infer<typeof CallRequest>;

/** The upstream's result, untouched. */
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

/** Where a request stands in a trace, in the words of W3C Trace Context. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** `step`: time that passes within this process. */
export type SpanKind = 'server' | 'client' | 'step';
export type SpanAttributes = Record<string, string | number | boolean | undefined>;

/** The trace that a request belongs to. Without `begin` and `set` it is only passed on, as nobody collects spans here. */
export interface Trace {
  readonly traceId: string;
  /** What the next one down gets as its parent. */
  readonly context: TraceContext;
  begin?(name: string, kind?: SpanKind, attributes?: SpanAttributes): Span;
  /** Neither secrets nor arguments nor results: a trace goes where other eyes are. */
  set?(attributes: SpanAttributes): void;
  /** What went wrong, in one word. The first one counts. */
  fail?(type: string): void;
}

/** A stretch of time in a trace that is collected. */
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
