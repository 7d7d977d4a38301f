import { sql, type Transaction } from 'kysely';
import { authorSource, type RevisionDraft, type SharedRevision } from '../config/index.ts';
import { ProxyError } from '../contract/errors.ts';
import type { ConfigRevision } from '../contract/status.ts';
import { latestRow, type AnyDatabase, type RowSeal, type Tables } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';

/** Proxies tell each other the newest revision. */
export const CONFIG_CHANNEL = 'mcpproxy_config';

export interface StoredRevision extends SharedRevision {
  about: ConfigRevision;
}

export interface RevisionStore {
  /** The number of the revision in force; undefined where none was ever stored. Rejects with ROW_CHANGED where the row does not count. */
  head(): Promise<number | undefined>;
  read(revision: number): Promise<StoredRevision>;
  /** Newest first. */
  list(limit: number): Promise<ConfigRevision[]>;
  /** Rejects with CONFLICT where another revision is in force than the one that was changed. */
  commit(draft: NewRevision): Promise<StoredRevision>;
}

/** Without an author it is the file of the first proxy. */
export interface NewRevision extends Pick<RevisionDraft, 'text' | 'base' | 'changes'> {
  by?: RevisionDraft['by'];
  action: RevisionDraft['action'] | 'import';
}

type HeadRow = Tables['config_head'];
type RevisionRow = Tables['config_revisions'];

const MAX_CHANGES = 200;

export function createRevisionStore(
  { kysely }: Pick<AnyDatabase, 'kysely'>,
  { seal, clock }: { seal: RowSeal; clock: Clock },
): RevisionStore {
  const readHead = () => kysely.selectFrom('config_head').selectAll().where('id', '=', 1).executeTakeFirst();

  async function head(): Promise<number | undefined> {
    const row = await readHead();
    if (!row) {
      if (seal.deleted('config_head', () => false).length > 0)
        throw changed('the row that names it was deleted');
      return undefined;
    }
    const latest = await latestRow(seal, { table: 'config_head', row, read: readHead });
    if (!latest || seal.trouble('config_head', latest) !== undefined)
      throw changed('the row that names it was changed outside of mcpproxy');
    return latest.revision;
  }

  function opened(row: RevisionRow): StoredRevision {
    const text =
      seal.trouble('config_revisions', row) === undefined
        ? seal.decrypt(row.body, boundTo(row.revision))
        : undefined;
    if (text === undefined) throw changed(`revision ${row.revision} was changed outside of mcpproxy`);
    return { revision: row.revision, text, about: aboutOf(row) };
  }

  async function insertHead(
    trx: Transaction<Tables>,
    row: HeadRow,
    before: HeadRow | undefined,
  ): Promise<void> {
    const made = before
      ? await trx
          .updateTable('config_head')
          .set({ revision: row.revision, seal: row.seal })
          .where('id', '=', 1)
          .where('seal', 'is not distinct from', before.seal)
          .returning('id')
          .execute()
      : await trx
          .insertInto('config_head')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .returning('id')
          .execute();
    if (made.length === 0)
      throw conflict((await trx.selectFrom('config_head').select('revision').executeTakeFirst())?.revision);
  }

  return {
    head,
    async read(revision) {
      const row = await kysely
        .selectFrom('config_revisions')
        .selectAll()
        .where('revision', '=', revision)
        .executeTakeFirst();
      if (row) return opened(row);
      throw new ProxyError('NOT_FOUND', `There is no revision ${revision} of the configuration`, {
        revision,
      });
    },
    async list(limit) {
      const rows = await kysely
        .selectFrom('config_revisions')
        .selectAll()
        .orderBy('revision', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) =>
        seal.trouble('config_revisions', row) === undefined
          ? aboutOf(row)
          : { ...aboutOf(row), changes: [], changed_outside: true },
      );
    },
    async commit({ text, base, changes, by, action }) {
      const before = await readHead();
      // A row that does not count is replaced: the operator puts a revision into force again.
      const isSound = before && seal.trouble('config_head', before) === undefined;
      if (isSound && before.revision !== base) throw conflict(before.revision);
      const { top } = await kysely
        .selectFrom('config_revisions')
        .select((of) => of.fn.max('revision').as('top'))
        .executeTakeFirstOrThrow();
      const revision = Math.max(base, top ?? 0) + 1;
      const row = seal.seal('config_revisions', {
        revision,
        created_at: new Date(clock.now()).toISOString(),
        created_by: by?.principal ?? 'config file',
        source: by ? authorSource(by) : 'file',
        action,
        digest: seal.digest(text),
        changes: JSON.stringify(changes.slice(0, MAX_CHANGES)),
        body: seal.encrypt(text, boundTo(revision)),
        seal: null,
      });
      const next = seal.seal('config_head', { id: 1, revision, seal: null }, before);
      await kysely.transaction().execute(async (trx) => {
        await insertHead(trx, next, before);
        await trx.insertInto('config_revisions').values(row).execute();
        await sql`SELECT pg_notify(${CONFIG_CHANNEL}, ${String(revision)})`.execute(trx);
      });
      seal.stored('config_head', next);
      await seal.sync();
      return { revision, text, about: aboutOf(row) };
    },
  };
}

const boundTo = (revision: number) => `configuration revision ${revision}`;

function aboutOf({
  revision,
  created_at,
  created_by,
  source,
  action,
  digest,
  changes,
}: RevisionRow): ConfigRevision {
  return {
    revision,
    at: created_at,
    by: created_by,
    source,
    action,
    digest,
    ...readChanges(changes),
  };
}

/** A row of somebody else may have any text. */
function readChanges(text: string): Pick<ConfigRevision, 'changes' | 'changed_outside'> {
  try {
    const changes: unknown = JSON.parse(text);
    if (Array.isArray(changes)) return { changes: changes as ConfigRevision['changes'] };
  } catch {
    // It does not count, and the rest of the list does.
  }
  return { changes: [], changed_outside: true };
}

function changed(what: string): ProxyError {
  return new ProxyError(
    'ROW_CHANGED',
    `The configuration in the database does not count: ${what}. The newest one that is known here stays in force, and changes are refused. Find out who can write to the database, then put a configuration into force again: mcpproxy config apply FILE, or mcpproxy config rollback REVISION`,
  );
}

function conflict(revision: number | undefined): ProxyError {
  return new ProxyError(
    'CONFLICT',
    `Another change of the configuration came first: revision ${revision ?? 0} is in force now. Review it with "mcpproxy config history", then repeat the change`,
    { revision: revision ?? 0 },
  );
}
