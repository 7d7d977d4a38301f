import { statements } from '../statements.ts';

const COLUMNS = `
     id TEXT NOT NULL UNIQUE,
     user_id TEXT NOT NULL,
     description TEXT NOT NULL,
     status TEXT NOT NULL,
     created_at TEXT NOT NULL,
     completed_at TEXT`;
const BY_USER = `CREATE INDEX tasks_by_user ON tasks (user_id)`;

/** Ordered by `seq`, because two tasks may be added in the same millisecond. */
export const tasks = {
  sqlite: statements([`CREATE TABLE tasks (seq INTEGER PRIMARY KEY, ${COLUMNS})`, BY_USER]),
  postgres: statements([
    `CREATE TABLE tasks (seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ${COLUMNS})`,
    BY_USER,
  ]),
};
