import { randomUUID } from 'node:crypto';
import type { SqliteDatabase } from '../db/sqlite-database.ts';
import type { TasksTable } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';

interface Task {
  task_id: string;
  description: string;
  status: 'pending' | 'completed';
  created_at: string;
  completed_at: string | null;
}

/** Every method works on one user's tasks: the task of another user is a missing task. */
export interface TaskStore {
  /** `undefined` where the user has as many tasks as may be kept. */
  add(user: string, description: string): Promise<Task | undefined>;
  /** Newest first; `total` counts also those beyond the limit. */
  list(user: string): { tasks: Task[]; total: number };
  update(user: string, id: string, description: string): Promise<Task | undefined>;
  complete(user: string, id: string): Promise<Task | undefined>;
  /** False where there is no such task. */
  delete(user: string, id: string): Promise<boolean>;
}

export const MAX_TASKS = 10_000;
export const MAX_LISTED = 1000;

export function createTaskStore({ db, clock }: { db: SqliteDatabase; clock: Clock }): TaskStore {
  const { sqlite } = db;
  const count = sqlite.prepare('SELECT count(*) AS n FROM tasks WHERE user_id = ?');
  const select = sqlite.prepare('SELECT * FROM tasks WHERE user_id = ? ORDER BY seq DESC LIMIT ?');
  const insert = sqlite.prepare(
    `INSERT INTO tasks (id, user_id, description, status, created_at) VALUES (?, ?, ?, 'pending', ?) RETURNING *`,
  );
  const describe = sqlite.prepare(
    'UPDATE tasks SET description = ? WHERE user_id = ? AND id = ? RETURNING *',
  );
  const finish = sqlite.prepare(
    `UPDATE tasks SET status = 'completed', completed_at = coalesce(completed_at, ?) WHERE user_id = ? AND id = ? RETURNING *`,
  );
  const erase = sqlite.prepare('DELETE FROM tasks WHERE user_id = ? AND id = ?');
  const now = () => new Date(clock.now()).toISOString();
  const total = (user: string) => (count.get(user) as { n: number }).n;

  return {
    add: (user, description) =>
      db.write(() =>
        total(user) >= MAX_TASKS ? undefined : toTask(insert.get(randomUUID(), user, description, now())),
      ),
    list(user) {
      const rows = select.all(user, MAX_LISTED);
      return { tasks: rows.map((row) => toTask(row)!), total: total(user) };
    },
    update: (user, id, description) =>
      db.write(() => toTask(describe.get(description, user, id.toLowerCase()))),
    complete: (user, id) => db.write(() => toTask(finish.get(now(), user, id.toLowerCase()))),
    delete: (user, id) => db.write(() => erase.run(user, id.toLowerCase()).changes > 0),
  };
}

function toTask(row: unknown): Task | undefined {
  if (row === undefined) return undefined;
  const { id, description, status, created_at, completed_at } = row as TasksTable;
  return {
    task_id: id,
    description,
    status: status === 'completed' ? 'completed' : 'pending',
    created_at,
    completed_at,
  };
}
