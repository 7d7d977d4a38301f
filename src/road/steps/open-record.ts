import type { ActivityMetadata } from '../../contract/activity.ts';
import type { Caller, ChatTrace } from '../../contract/call.ts';
import type { RecordDraft } from '../../log/index.ts';
import { variantFor } from '../../contract/operation.ts';
import { isObject, type JsonObject } from '../../json/index.ts';
import type { CallContext } from '../context.ts';
import type { RoadParts } from '../step.ts';
import type { Step } from '../step.ts';
import { traceOpened } from '../trace-call.ts';
import { declaredIntent } from './intent.ts';
import { readCall, type ReadCall } from './parse.ts';

/** The record holds the arguments, so the call is parsed first; an error in it is reported once the record is open. */
export const openRecord: Step = {
  name: 'open the record',
  does: 'opens one record per call before anything is checked; it is closed however the call ends',
  refusals: ['AUDIT_UNAVAILABLE'],
  run(call, parts) {
    const read = readCall(call.request.input);
    if (read instanceof Promise) return read.then((done) => open(call, parts, done));
    open(call, parts, read);
    return undefined;
  },
};

function open(call: CallContext, { activity }: RoadParts, read: ReadCall): void {
  if (read.value) call.parsed = read.value;
  else call.parseError = read.error;
  call.record = activity.open(draftOf(call, read.value?.args));
  const { trace } = call.caller;
  if (trace) traceOpened(trace, call.record.id, call.operation);
}

/** Everything known about the call before it is checked, so that a refused call is recorded as fully as an allowed one. */
function draftOf(call: CallContext, args?: JsonObject): RecordDraft {
  const { request, operation, caller } = call;
  const fields = isObject(request.input) ? request.input : {};
  const intent = declaredIntent(request.input);
  return {
    type: 'tool_call',
    source: caller.source,
    ...namesOf(fields.name),
    arguments: args ?? fields.args ?? fields.args_json ?? {},
    request_id: caller.requestId,
    ...(caller.sessionId && { session_id: caller.sessionId }),
    ...(caller.conversationId && { conversation_id: caller.conversationId }),
    ...(caller.client && { client: caller.client }),
    operation_type: intent?.operation_type ?? operation,
    metadata: metadataOf(call, intent),
  };
}

function metadataOf(
  { request, operation, caller }: CallContext,
  intent: ActivityMetadata['intent'],
): ActivityMetadata {
  return {
    tool_variant: variantFor(operation),
    principal: caller.principal,
    ...(caller.token && { token_id: caller.token.id }),
    ...(intent && { intent }),
    ...(request.trace && chatMetadata(request.trace, caller)),
    ...(caller.trace && { trace_id: caller.trace.traceId }),
  };
}

const NAME_MAX_LENGTH = 512;

function namesOf(given: unknown): Pick<RecordDraft, 'server_name' | 'tool_name'> {
  if (typeof given !== 'string' || given === '') return {};
  const name = given.slice(0, NAME_MAX_LENGTH);
  const colon = name.indexOf(':');
  return colon > 0
    ? { server_name: name.slice(0, colon), tool_name: name.slice(colon + 1) }
    : { tool_name: name };
}

/** Links the record of a call to the message and the decision that led to it. */
function chatMetadata(trace: ChatTrace, caller: Caller): ActivityMetadata {
  return {
    conversation_id: caller.conversationId,
    message_id: trace.messageId,
    decision_id: trace.decisionId,
    sequence: trace.sequence,
    user_id: caller.userId,
    user_intent: trace.userIntent,
  };
}
