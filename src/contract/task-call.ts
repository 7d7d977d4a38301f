/** The extension of revision 2026-07-28. In 2025-11-25 tasks are a part of the protocol. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

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
  /** Set by the dispatcher: passes the answers to the questions of the task on to the server. */
  answer?: (inputResponses: Record<string, unknown>) => Promise<void>;
  /** The proxy stops, and the task is to go on without it. */
  isKept?: boolean;
}
