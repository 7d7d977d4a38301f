import type { ServerTask, TaskStatus } from '../../contract/call.ts';
import { isObject, type JsonObject } from '../../json/index.ts';

const STATUSES: readonly string[] = ['working', 'input_required', 'completed', 'failed', 'cancelled'];
const MAX_ID = 512;
const MAX_MESSAGE = 1000;

/** Undefined: not a task. */
export function readTask(raw: JsonObject, isModern: boolean): ServerTask | undefined {
  const { taskId, status, statusMessage, inputRequests, result, error } = raw;
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > MAX_ID) return undefined;
  if (typeof status !== 'string' || !STATUSES.includes(status)) return undefined;
  const pollMs = isModern ? raw.pollIntervalMs : raw.pollInterval;
  return {
    id: taskId,
    status: status as TaskStatus,
    ...(typeof statusMessage === 'string' && { message: statusMessage.slice(0, MAX_MESSAGE) }),
    ...(typeof pollMs === 'number' && { pollMs }),
    ...(isObject(inputRequests) && { inputRequests }),
    ...(isObject(result) && { result }),
    ...(error !== undefined && { error }),
  };
}

export function isOver({ status }: Pick<ServerTask, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
