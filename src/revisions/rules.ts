import { sql } from 'kysely';
import { HEADS, type Heads, type PostgresDatabase } from '../db/index.ts';

/** Rows that calls are judged by and that every proxy keeps in memory. A number in the database changes with each change of them. */
interface Followed {
  /** The number of what is in memory; undefined before the first read. */
  applied(): number | undefined;
  /** Resolves when memory has at least what the database had at this number. */
  catchUp(to: number): Promise<void>;
}

type Kind = 'tokens' | 'tools';

export type Rules = ReturnType<typeof createRules>;

/** The agents' tokens and the operator's decisions on tools: what calls are judged by, beside the configuration. */
export function createRules({ kysely }: Pick<PostgresDatabase, 'kysely'>) {
  const kinds = new Map<Kind, Followed>();
  return {
    follow: (kind: Kind, followed: Followed) => void kinds.set(kind, followed),
    isCurrent: (heads: Heads) => [...kinds].every(([kind, followed]) => heads[kind] === followed.applied()),
    async catchUp(): Promise<void> {
      const { rows } = await sql<Heads>`SELECT ${sql.raw(HEADS)}`.execute(kysely);
      for (const [kind, followed] of kinds) {
        const newest = rows[0]![kind];
        if (newest !== followed.applied()) await followed.catchUp(newest);
      }
    },
  };
}
