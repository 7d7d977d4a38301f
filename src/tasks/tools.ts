import { z } from 'zod';
import type { ToolAnnotations } from '../contract/tool.ts';
import { MAX_LISTED, MAX_TASKS, type TaskStore } from './task-store.ts';

const MAX_DESCRIPTION = 1000;
const LOCAL_USER = 'local';

/** PostgreSQL accepts no NUL in a text. */
function isStorable(text: string): boolean {
  return !text.includes('\0');
}

const UserId = z
  .string()
  .max(255, 'user_id must have at most 255 characters')
  .refine(isStorable, 'user_id must not contain the character NUL')
  .optional()
  .transform((user) => user || LOCAL_USER)
  .describe('user of the tasks; set by the proxy, omit it');

/** Counted in code points, like in JSON Schema, so that the limit is the same for every script. */
const Description = z
  .string('description is required, as text')
  .trim()
  .refine((text) => text !== '', 'description must not be empty')
  .refine(isStorable, 'description must not contain the character NUL')
  .refine(
    (text) =>
      text.length <= MAX_DESCRIPTION ||
      (text.length <= 2 * MAX_DESCRIPTION && Array.from(text).length <= MAX_DESCRIPTION),
    `description must have at most ${MAX_DESCRIPTION} characters`,
  )
  .meta({
    description: 'description of the task, 1–1000 characters',
    minLength: 1,
    maxLength: MAX_DESCRIPTION,
  });

const TaskId = z
  .string('task_id is required, as text')
  .regex(
    /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/,
    'task_id must be a UUID, as list_tasks gives it',
  )
  .meta({ description: 'the id of the task, from list_tasks or add_task', format: 'uuid' });

const Task = z.object({
  task_id: z.string(),
  description: z.string(),
  status: z.enum(['pending', 'completed']),
  created_at: z.string().describe('ISO 8601'),
  completed_at: z.string().nullable().describe('ISO 8601, null while the task is pending'),
});

export interface TaskTool {
  title: string;
  description: string;
  annotations: ToolAnnotations;
  input: z.ZodObject;
  output: z.ZodObject;
  run(store: TaskStore, input: unknown): Promise<TaskAnswer>;
}

/** A value that matches the output schema, or an error message. */
export type TaskAnswer = { value: Record<string, unknown>; text: string } | { error: string };

function taskTool<I extends z.ZodObject>(
  tool: Omit<TaskTool, 'input' | 'run'> & {
    input: I;
    run: (store: TaskStore, input: z.output<I>) => Promise<TaskAnswer>;
  },
): TaskTool {
  return { ...tool, run: async (store, input) => tool.run(store, input as z.output<I>) };
}

const missing = (id: string): TaskAnswer => ({
  error: `There is no task ${id}. list_tasks gives the ids of the tasks that exist`,
});

/** In listing order. The hints describe the effect on the tasks; no tool has an effect outside this server. */
export const TASK_TOOLS: ReadonlyMap<string, TaskTool> = new Map([
  [
    'add_task',
    taskTool({
      title: 'Add a task',
      description: 'Adds a task to the to-do list and returns it with its id.',
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
      input: z.strictObject({ description: Description, user_id: UserId }),
      output: z.object({ task: Task }),
      async run(store, { user_id, description }) {
        const task = await store.add(user_id, description);
        if (!task) return { error: `There are ${MAX_TASKS} tasks already; delete some first` };
        return { value: { task }, text: `Added task ${task.task_id}: ${task.description}` };
      },
    }),
  ],
  [
    'list_tasks',
    taskTool({
      title: 'List tasks',
      description: `Lists the tasks of the to-do list, pending and completed, newest first (at most ${MAX_LISTED}).`,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      input: z.strictObject({ user_id: UserId }),
      output: z.object({ tasks: z.array(Task), total: z.number().int() }),
      async run(store, { user_id }) {
        const { tasks, total } = await store.list(user_id);
        const lines = tasks.map(
          ({ task_id, status, description }) =>
            `[${status === 'completed' ? 'x' : ' '}] ${task_id} ${description}`,
        );
        const rest = total - tasks.length;
        if (rest > 0) lines.push(`… and ${rest} older ones`);
        return { value: { tasks, total }, text: lines.join('\n') || 'There are no tasks.' };
      },
    }),
  ],
  [
    'update_task',
    taskTool({
      title: 'Update a task',
      description:
        'Changes the description of a task. With status "pending" it also opens a completed task again.',
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      input: z.strictObject({
        task_id: TaskId,
        description: Description,
        status: z.literal('pending').optional().describe('opens a completed task again'),
        user_id: UserId,
      }),
      output: z.object({ task: Task }),
      async run(store, { user_id, task_id, description, status }) {
        const task = await store.update(user_id, task_id, { description, reopen: status === 'pending' });
        return task
          ? { value: { task }, text: `Task ${task.task_id} is now: ${task.description}` }
          : missing(task_id);
      },
    }),
  ],
  [
    'complete_task',
    taskTool({
      title: 'Complete a task',
      description: 'Marks a task as done. A task that is already done does not change.',
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      input: z.strictObject({ task_id: TaskId, user_id: UserId }),
      output: z.object({ task: Task }),
      async run(store, { user_id, task_id }) {
        const task = await store.complete(user_id, task_id);
        return task
          ? { value: { task }, text: `Completed task ${task.task_id}: ${task.description}` }
          : missing(task_id);
      },
    }),
  ],
  [
    'delete_task',
    taskTool({
      title: 'Delete a task',
      description:
        'Deletes a task for good. Deleting a task that does not exist succeeds with deleted: false.',
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      input: z.strictObject({ task_id: TaskId, user_id: UserId }),
      output: z.object({ task_id: z.string(), deleted: z.boolean() }),
      async run(store, { user_id, task_id }) {
        const deleted = await store.delete(user_id, task_id);
        return {
          value: { task_id, deleted },
          text: deleted ? `Deleted task ${task_id}` : `There was no task ${task_id}; nothing was deleted`,
        };
      },
    }),
  ],
]);
