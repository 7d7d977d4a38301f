import type { BackgroundCall, CallState } from '../../../background/index.ts';
import { isObject, keepSource, withFields, type JsonObject } from '../../../json/index.ts';
import { knowsTasks, TASKS_EXTENSION, type TaskLink } from '../../../contract/call.ts';
import { CODE, META, metaOf, RpcError, type Request } from '../wire.ts';

const RELATED_TASK = 'io.modelcontextprotocol/related-task';
const POLL_MS = 1000;

/** The task of revision 2025-11-25. */
export function legacyTask(call: BackgroundCall): JsonObject {
  return { ...common(call), ttl: call.ttlMs, pollInterval: call.pollMs ?? POLL_MS };
}

/** The task of the extension of 2026-07-28. Once it has ended, its outcome is a part of it. */
export function modernTask(call: BackgroundCall): JsonObject {
  const task = { ...common(call), ttlMs: call.ttlMs, pollIntervalMs: call.pollMs ?? POLL_MS };
  if (call.status === 'input_required') return { ...task, inputRequests: call.inputRequests ?? {} };
  if (!call.outcome || call.status === 'cancelled') return task;
  return 'result' in call.outcome
    ? { ...task, result: resultOf(call.outcome.result) }
    : { ...task, ...call.outcome };
}

function common({ id, status, message, createdAt, updatedAt }: BackgroundCall): JsonObject {
  return {
    taskId: id,
    status,
    ...(message !== undefined && { statusMessage: message }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
  };
}

/** What `tasks/result` returns in 2025-11-25. Throws the error that the call ended with. */
export function legacyOutcome(call: BackgroundCall): JsonObject {
  const { outcome } = call;
  if (!outcome) throw new RpcError(CODE.invalidParams, 'The task was cancelled and has no result');
  if ('error' in outcome)
    throw new RpcError(outcome.error.code, outcome.error.message, { data: outcome.error.data });
  const result = resultOf(outcome.result);
  const meta = { ...(isObject(result._meta) && result._meta), [RELATED_TASK]: { taskId: call.id } };
  return withFields(result, { _meta: meta });
}

/** The result keeps the text in which the server wrote it. */
function resultOf(text: string): JsonObject {
  const result = JSON.parse(text) as JsonObject;
  keepSource(result, text);
  return result;
}

function missingExtension(): RpcError {
  return new RpcError(
    CODE.missingCapability,
    `This request needs a client that declares the extension ${TASKS_EXTENSION}`,
    { status: 400, data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } } },
  );
}

export function unknownTask(): RpcError {
  return new RpcError(CODE.invalidParams, 'Task not found: it has expired, or is not a task of this caller');
}

/** Throws where the client of 2026-07-28 does not declare the extension. */
export function checkExtension(request: Request): void {
  const capabilities = metaOf(request.params)?.[META.clientCapabilities];
  if (!isObject(capabilities) || !knowsTasks(capabilities)) throw missingExtension();
}

export function stateOf(task: Parameters<TaskLink['changed']>[0]): CallState {
  const { id: serverTask, status, message, pollMs, inputRequests } = task;
  // The outcome is stored together with the end.
  const running = status === 'input_required' && inputRequests ? status : 'working';
  return { serverTask, status: running, message, pollMs, inputRequests };
}
