import { randomUUID } from 'node:crypto';

/** A request to the model, in the same form for every protocol. */
export interface Conversation {
  readonly tools: readonly OfferedTool[];
  readonly turns: readonly Turn[];
}

export interface OfferedTool {
  readonly name: string;
  /** Codex puts the tools of a server into a namespace and expects it in the call. */
  readonly namespace?: string;
  /** Its schema has the intent as one object instead of parameters `intent_…`. */
  readonly takesIntent?: boolean;
}

export interface Turn {
  readonly by: 'user' | 'model' | 'tool';
  readonly text: string;
}

export type Answer = { readonly text: string } | { readonly call: ModelCall };

export interface ModelCall {
  readonly id: string;
  readonly tool: OfferedTool;
  readonly args: Readonly<Record<string, unknown>>;
}

/** How one kind of model endpoint is read and answered. */
export interface Protocol {
  /** Whether a request to this path is for the model, e.g. `/v1/messages`. */
  handles(path: string): boolean;
  read(body: Json): Conversation;
  /** The whole answer as server-sent events, each with its name where the protocol has names. */
  events(answer: Answer): readonly SentEvent[];
  /** The same answer for a request that does not stream. */
  whole(answer: Answer): Json;
  streams(path: string, body: Json): boolean;
}

export interface SentEvent {
  readonly event?: string;
  readonly data: Json | '[DONE]';
}

export type Json = Record<string, unknown>;

/** As a real model gives them: Claude Code joins messages with one id into one, and the order of a conversation is lost. */
export const newId = (prefix: string): string => `${prefix}_${randomUUID()}`;

/** The entries of a list of objects; everything else in a request is of no interest here. */
export function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** All text in a content value, whatever its nesting. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (isObject(value)) return textOf(value.text ?? value.content ?? value.output ?? Object.values(value));
  return '';
}
