import type { ActivityMetadata, ActivityStatus, ActivityType } from '../../contract/activity.ts';
import {
  callerMetadata,
  type CallResult,
  type Caller,
  type CallerMetadata,
  type ChatTrace,
} from '../../contract/call.ts';
import { ProxyError, toProxyError } from '../../contract/errors.ts';
import { variantFor } from '../../contract/operation.ts';
import { type JsonObject, isObject, merge } from '../../json/index.ts';
import { ofRequest } from '../../lib/log.ts';
import { clientOf } from '../../load/index.ts';
import type { RecordDraft } from '../../log/index.ts';
import { runChecks } from '../checks.ts';
import type { CallContext } from '../context.ts';
import { declaredIntent } from '../read-intent.ts';
import { namedIn, readItem } from '../read-item.ts';
import type { ItemRequest } from '../request.ts';
import type { RoadParts, Step } from '../step.ts';
import { traceError, traceOpened, traceResult } from '../trace-call.ts';
import { targetOf } from './look-up.ts';
import { releaseSlot } from './admission.ts';
import { rememberAnswer } from './flows.ts';
import { type ReadCall, readCall } from './parse.ts';

/** The record holds the arguments, so the call is parsed first; an error in it is reported once the record is open. */
export const openRecord: Step = {
  name: 'open the record',
  does: 'opens one record per call before anything is checked; it is closed however the call ends',
  refusals: ['AUDIT_UNAVAILABLE'],
  run(call, parts) {
    const read = call.request.kind === undefined ? readCall(call.request.input) : readItem(call, parts);
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

const RECORD_TYPE: Record<ItemRequest, ActivityType> = {
  prompt: 'prompt_get',
  resource: 'resource_read',
  completion: 'completion',
  subscribe: 'resource_subscribe',
  unsubscribe: 'resource_subscribe',
  skill: 'resource_read',
  directory: 'resource_read',
};

/** What the type of the record does not say. */
const ACTION: Partial<Record<ItemRequest, string>> = {
  unsubscribe: 'unsubscribe',
  skill: 'get_skill',
  directory: 'read_directory',
};

/** Everything known about the call before it is checked, so that a refused call is recorded as fully as an allowed one. */
function draftOf(call: CallContext, args?: JsonObject): RecordDraft {
  const { request, operation, caller } = call;
  const fields = isObject(request.input) ? request.input : {};
  const intent = declaredIntent(request.input);
  return {
    type: request.kind === undefined ? 'tool_call' : RECORD_TYPE[request.kind],
    source: caller.source,
    ...namesFor(call, fields),
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
  const metadata = callerMetadata(caller) as ActivityMetadata & CallerMetadata;
  if (request.kind === undefined) metadata.tool_variant = variantFor(operation);
  const action = request.kind && ACTION[request.kind];
  if (action) metadata.action = action;
  if (intent) metadata.intent = intent;
  if (request.resumes !== undefined) metadata.follows_task = request.resumes;
  return request.trace ? merge(metadata, chatMetadata(request.trace, caller)) : metadata;
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

function namesFor(
  { request: { kind }, parsed }: CallContext,
  fields: JsonObject,
): ReturnType<typeof namesOf> {
  if (kind === undefined) return namesOf(fields.name);
  if (parsed) return namesOf(parsed.name);
  const given = namedIn(kind, fields);
  if (kind === 'prompt' || typeof given !== 'string' || given === '') return namesOf(given);
  // A URI whose server is not known.
  return { tool_name: given.slice(0, NAME_MAX_LENGTH) };
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

/** A read may share the next commit; a change is on disk before it is made. */
export const durableRecord: Step = {
  name: 'durable record',
  does: 'waits until the record of a change is on disk, before the change is made; where several proxies share a database, makes sure that this one has the newest configuration, tokens and verdicts',
  refusals: ['AUDIT_UNAVAILABLE', 'POLICY_BEHIND', 'UNAUTHORIZED'],
  span: 'log opened',
  run(call, parts) {
    if (call.operation !== 'read') return waitForDisk(call, parts);
    const state = parts.activity.state();
    const isFree = mayBeUnrecorded(call, parts);
    if (!isFree) requireLog(state);
    const behind = state.log === 'ok' ? parts.policy?.beforeRead() : undefined;
    // The database may be away before the log notices it, and reads that may be unrecorded do not depend on either.
    return (isFree ? behind?.catch(() => undefined) : behind)?.then(() => checkAgain(call, parts));
  },
};

/** Whether the operator allows this call to run although its record may not be written. */
export function mayBeUnrecorded({ operation }: CallContext, { config }: RoadParts): boolean {
  return operation === 'read' && config().activity.when_unavailable === 'allow_reads';
}

async function waitForDisk(call: CallContext, parts: RoadParts): Promise<void> {
  const judgedBy = parts.config();
  await call.record!.durable();
  const behind = parts.policy?.beforeChange();
  if (behind) {
    await behind;
    requireToken(call, parts);
  }
  // The configuration or the tool may have changed meanwhile.
  if (parts.config() !== judgedBy || targetOf(call, parts) !== call.tool) checkAgain(call, parts);
}

/** The token may have been revoked at another proxy, before this one knew. */
function requireToken({ caller: { token } }: CallContext, { policy }: RoadParts): void {
  if (!token || policy?.isTokenActive(token.id) !== false) return;
  throw new ProxyError(
    'UNAUTHORIZED',
    'The token of this call has ended, so the call was not made; ask the operator for a new one',
    { executed: false },
  );
}

/** By the configuration that is in force now. */
function checkAgain(call: CallContext, parts: RoadParts): void {
  requireToken(call, parts);
  const version = parts.policy?.version();
  if (version !== undefined) call.notes.policy_version = version;
  runChecks(call, parts);
}

/** A read needs no record on disk beforehand, but it is not made while the log cannot be written. */
function requireLog({ log, reason }: ReturnType<RoadParts['activity']['state']>): void {
  if (log === 'ok') return;
  throw new ProxyError(
    'AUDIT_UNAVAILABLE',
    `The activity log cannot be written (${reason ?? 'unknown'}), so the call was not made`,
    { executed: false },
  );
}

export const closeRecord: Step = {
  name: 'close the record',
  does: 'writes the outcome to disk before the caller receives it',
  refusals: ['RAN_UNRECORDED'],
  span: 'log closed',
  async run(call, parts) {
    const outcome = outcomeOf(call.result);
    const { trace } = call.caller;
    if (trace) traceResult(trace, outcome.status);
    // An outcome that cannot be written now is written once the log is back; only a read that may be unrecorded does not wait for it.
    await call
      .record!.close({ metadata: call.notes, ...outcome })
      .catch(mayBeUnrecorded(call, parts) ? () => {} : ranUnrecorded);
    if (mayNameResources(call.result)) parts.seen.note(clientOf(call.caller), call.tool.server, call.result);
    lookAtAnswer(call, parts, call.result);
  },
};

/** Most results are texts alone. */
function mayNameResources({ content, messages }: CallResult): boolean {
  if (messages !== undefined) return true;
  return (
    Array.isArray(content) && content.some((block: unknown) => !isObject(block) || block.type !== 'text')
  );
}

/** Closes the record of a call that a step refused, or that failed. Returns the error for the caller. */
export async function closeFailed(call: CallContext, parts: RoadParts, thrown: unknown): Promise<ProxyError> {
  releaseSlot(call, parts);
  const cause = await settleFailed(call, thrown);
  const error = toProxyError(cause);
  const { record, caller, notes } = call;
  if (!record) return error;
  if (caller.trace) traceError(caller.trace, error);
  if (error.code === 'INTERNAL')
    parts.log.error(
      { record: record.id, ...ofRequest(caller), err: cause },
      'the call broke inside the proxy',
    );
  const { outcome: status, code: error_code, message: error_message } = error;
  // The refusal is returned even if it cannot be recorded.
  await record.close({ status, error_code, error_message, metadata: notes }).catch(() => {});
  lookAtAnswer(call, parts, { message: error.message, details: error.details });
  return error;
}

/** Settles the approval of a call that failed. Returns the error of the call. */
async function settleFailed({ pass }: CallContext, cause: unknown): Promise<unknown> {
  if (!pass || pass.shared) return cause;
  try {
    await pass.settle({ error: toProxyError(cause) });
    return cause;
  } catch (error) {
    return error;
  }
}

function lookAtAnswer(call: CallContext, parts: RoadParts, answer: unknown): void {
  if (!call.isSent) return;
  rememberAnswer(call, parts, answer);
  const { tool, caller, record } = call;
  parts.scanResult?.({ server: tool.server, tool: tool.tool, caller, record: record!.id, answer });
}

/** A result with isError is passed on unchanged, but the record has the status error. */
function outcomeOf(result: CallResult): {
  status: ActivityStatus;
  response: CallResult;
  error_message?: string;
} {
  if (result.isError !== true) return { status: 'success', response: result };
  const text = result.content?.find((block) => block.type === 'text')?.text;
  return {
    status: 'error',
    response: result,
    error_message: typeof text === 'string' ? text.slice(0, 1000) : 'the tool reported an error',
  };
}

/** The call was made and then the log failed: an unrecorded answer is not returned, and the caller must know that the tool ran. */
export function ranUnrecorded(cause: unknown): never {
  throw new ProxyError(
    'RAN_UNRECORDED',
    `The tool has run, but its outcome could not be recorded, so its result is not returned: ${toProxyError(cause).message}. Check what it did before you repeat the call`,
    { executed: true },
  ).withCause(cause);
}
