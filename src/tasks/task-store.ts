import { randomUUID } from 'node:crypto';
import { sql, type Selectable } from 'kysely';
import type { AnyDatabase, TasksTable } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';

type TaskRow = Selectable<TasksTable>;

interface Task {
  task_id: string;
  description: string;
  status: 'pending' | 'completed';
  created_at: string;
  completed_at: string | null;
}

/** Every method works on the tasks of one user: the task of another user counts as missing. */
export interface TaskStore {
  /** `undefined` where the user has reached the limit. */
  add(user: string, description: string): Promise<Task | undefined>;
  /** Newest first; `total` counts also those beyond the limit. */
  list(user: string): Promise<{ tasks: Task[]; total: number }>;
  /** `reopen`: a completed task is pending again. */
  update(
    user: string,
    id: string,
    change: { description: string; reopen?: boolean },
  ): Promise<Task | undefined>;
  complete(user: string, id: string): Promise<Task | undefined>;
  /** False where there is no such task. */
  delete(user: string, id: string): Promise<boolean>;
}

export const MAX_TASKS = 10_000;
export const MAX_LISTED = 1000;

/** Completing a task again keeps the first time. */
const FIRST_TIME = (now: string) => sql<string>`coalesce(completed_at, ${now})`;

export function createTaskStore({ db, clock }: { db: Pick<AnyDatabase, 'kysely'>; clock: Clock }): TaskStore {
  const { kysely } = db;
  const now = () => new Date(clock.now()).toISOString();
  const ofUser = (user: string, id: string) =>
    kysely.updateTable('tasks').where('user_id', '=', user).where('id', '=', id.toLowerCase()).returningAll();

  async function total(user: string): Promise<number> {
    const count = kysely.selectFrom('tasks').select(({ fn }) => fn.countAll<number>().as('n'));
    return (await count.where('user_id', '=', user).executeTakeFirstOrThrow()).n;
  }

  return {
    async add(user, description) {
      // One statement, so that concurrent calls cannot exceed the limit.
      const { rows } = await sql<TaskRow>`
        INSERT INTO tasks (id, user_id, description, status, created_at)
        SELECT ${randomUUID()}, ${user}, ${description}, 'pending', ${now()}
        WHERE (SELECT count(*) FROM tasks WHERE user_id = ${user}) < ${sql.lit(MAX_TASKS)}
        RETURNING *`.execute(kysely);
      return toTask(rows[0]);
    },
    async list(user) {
      const newest = kysely.selectFrom('tasks').selectAll().where('user_id', '=', user);
      const rows = await newest.orderBy('seq', 'desc').limit(MAX_LISTED).execute();
      return { tasks: rows.map((row) => toTask(row)!), total: await total(user) };
    },
    update: async (user, id, { description, reopen }) =>
      toTask(
        await ofUser(user, id)
          .set({ description, ...(reopen && { status: 'pending', completed_at: null }) })
          .executeTakeFirst(),
      ),
    complete: async (user, id) =>
      toTask(
        await ofUser(user, id)
          .set({ status: 'completed', completed_at: FIRST_TIME(now()) })
          .executeTakeFirst(),
      ),
    async delete(user, id) {
      const erase = kysely.deleteFrom('tasks').where('user_id', '=', user).where('id', '=', id.toLowerCase());
      return (await erase.executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}

function toTask(row: TaskRow | undefined): Task | undefined {
  if (row === undefined) return undefined;
  const { id, description, status, created_at, completed_at } = row;
  return {
    task_id: id,
    description,
    status: status === 'completed' ? 'completed' : 'pending',
    created_at,
    completed_at,
  };
}
