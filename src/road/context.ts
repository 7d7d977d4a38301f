import type { CallPermit } from '../approval/index.ts';
import type { CatalogTool } from '../catalog/index.ts';
import type { ActivityMetadata } from '../contract/activity.ts';
import type { CallResult, Caller } from '../contract/call.ts';
import type { ItemKind } from '../contract/item.ts';
import type { OperationType } from '../contract/operation.ts';
import type { JsonObject } from '../json/index.ts';
import type { OpenRecord } from '../log/index.ts';
import type { Continuation } from '../upstream/dispatch/dispatch-call.ts';
import type { CallRequest } from './request.ts';

/** A call whose parameters are well formed. */
export interface ParsedCall {
  name: string;
  server: string;
  tool: string;
  args: JsonObject;
  /** The raw intent fields; judged by the intent step. */
  input: JsonObject;
  /** What the name is of, if not of a tool. */
  item?: ItemKind;
}

/** One call on the road. Each field names the step that fills it; later steps may rely on it. */
export class CallContext {
  readonly request: CallRequest;
  operation: OperationType;
  /** look-up: whether `operation` still waits for the verdict on the tool. It is taken once: a stricter verdict that comes later refuses. */
  needsVerdict: boolean;
  readonly caller: Caller;
  /** Metadata for the record, collected on the way; also kept where a step refuses. */
  readonly notes: ActivityMetadata = {};
  /** open record */
  record: OpenRecord | undefined;
  parseError: unknown;
  /** parse */
  parsed!: ParsedCall;
  /** server start: how long the call has waited for it */
  startWaitMs = 0;
  /** look-up: the tool; a prompt, resource or template has the same form */
  tool!: CatalogTool;
  /** intent: a warning that the caller gets too, in the result */
  remark: string | undefined;
  /** arguments: as they are sent to the tool */
  args!: JsonObject;
  /** request state */
  continuation: Continuation | undefined;
  /** flows: a sentence about data of another server in the arguments */
  flow: string | undefined;
  /** approval: the right to make the call, used up */
  pass: CallPermit | undefined;
  /** admission: whether the call holds a slot, and when it began to wait for one */
  hasSlot = false;
  waitingSince: number | undefined;
  /** turn check: called by the dispatcher right before it sends */
  onTurn: (() => void) | undefined;
  /** dispatch */
  isSent = false;
  /** dispatch: the dialogs of the result are marked already */
  isMarked = false;
  result!: CallResult;

  constructor(request: CallRequest) {
    this.request = request;
    this.operation = request.operation;
    this.needsVerdict = request.intentSource === 'verdict';
    this.caller = request.caller;
  }

  /** The same parsed call with empty notes, to be checked again without a trace in the record. */
  forRecheck(): CallContext {
    const copy = new CallContext(this.request);
    copy.parsed = this.parsed;
    copy.operation = this.operation;
    copy.needsVerdict = this.needsVerdict;
    return copy;
  }

  warn(warning: string): void {
    (this.notes.warnings ??= []).push(warning);
  }
}
