import type { Kysely, Transaction } from 'kysely';
import { ProxyError } from '../../contract/errors.ts';
import type { ConversationMessagesTable, ConversationsTable, Tables } from '../../db/index.ts';

export const MAX_CONVERSATIONS = 1000;

/** A conversation, locked while its next message is answered. */
export interface LockedConversation {
  id: string;
  userId: string;
  holder: string;
  /** How many messages it has. */
  messages: number;
}

export interface NewMessage extends Partial<
  Pick<ConversationMessagesTable, 'context' | 'decided' | 'shown' | 'mark'>
> {
  id: string;
  role: 'user' | 'assistant';
  content: string;
  at: string;
}

export interface Lease {
  holder: string;
  now: number;
  until: number;
}

/** Conversations and their messages, by user. A conversation of another user is not found. */
export interface ConversationStore {
  create(
    conversation: { id: string; userId: string; title: string; at: string },
    lease: Lease,
  ): Promise<LockedConversation>;
  /** Locks the conversation; 'busy' while another message is being answered; undefined if the user has none with this id. */
  lock(id: string, userId: string, lease: Lease): Promise<LockedConversation | 'busy' | undefined>;
  /** Appends a message; `release` also releases the lock. */
  append(locked: LockedConversation, message: NewMessage, options?: { release: boolean }): Promise<void>;
  release(locked: LockedConversation): Promise<void>;
  /** Releases every lock. Only safe if no other process uses the database. */
  releaseAll(): Promise<void>;
  get(id: string, userId: string): Promise<ConversationsTable | undefined>;
  list(userId: string, page: { limit: number; before?: [string, string] }): Promise<ConversationsTable[]>;
  /** The newest `limit` messages before number `before`, oldest first. */
  messages(id: string, page: { limit: number; before?: number }): Promise<ConversationMessagesTable[]>;
  /** Ids of the list that was last shown, as JSON. */
  lastShown(id: string): Promise<string | undefined>;
}

export function createConversationStore(db: Kysely<Tables>): ConversationStore {
  const rowOf = (id: string, userId: string) =>
    db.selectFrom('conversations').selectAll().where('id', '=', id).where('user_id', '=', userId);

  return {
    create: ({ id, userId, title, at }, lease) =>
      db.transaction().execute(async (trx) => {
        await forgetOldest(trx, userId);
        const lock = { busy_by: lease.holder, busy_until: lease.until };
        await trx
          .insertInto('conversations')
          .values({ id, user_id: userId, title, messages: 0, created_at: at, updated_at: at, ...lock })
          .execute();
        return { id, userId, holder: lease.holder, messages: 0 };
      }),

    async lock(id, userId, { holder, now, until }) {
      const taken = await db
        .updateTable('conversations')
        .set({ busy_by: holder, busy_until: until })
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .where((is) => is.or([is('busy_by', 'is', null), is('busy_until', '<=', now)]))
        .returning('messages')
        .executeTakeFirst();
      if (taken) return { id, userId, holder, messages: taken.messages };
      return (await rowOf(id, userId).executeTakeFirst()) ? 'busy' : undefined;
    },

    append: (locked, message, { release } = { release: false }) =>
      db.transaction().execute(async (trx) => {
        const n = locked.messages + 1;
        const counted = await trx
          .updateTable('conversations')
          .set({ messages: n, updated_at: message.at, ...(release && { busy_by: null, busy_until: null }) })
          .where('id', '=', locked.id)
          .where('busy_by', '=', locked.holder)
          .executeTakeFirst();
        if (counted.numUpdatedRows !== 1n) throw lockLost();
        await trx
          .insertInto('conversation_messages')
          .values(toRow(locked.id, n, message))
          .execute();
        locked.messages = n;
      }),

    async release({ id, holder }) {
      await db
        .updateTable('conversations')
        .set({ busy_by: null, busy_until: null })
        .where('id', '=', id)
        .where('busy_by', '=', holder)
        .execute();
    },

    async releaseAll() {
      await db
        .updateTable('conversations')
        .set({ busy_by: null, busy_until: null })
        .where('busy_by', 'is not', null)
        .execute();
    },

    get: (id, userId) => rowOf(id, userId).executeTakeFirst(),

    list: (userId, { limit, before }) =>
      db
        .selectFrom('conversations')
        .selectAll()
        .where('user_id', '=', userId)
        .$if(before !== undefined, (query) =>
          query.where((is) =>
            is.or([
              is('updated_at', '<', before![0]),
              is.and([is('updated_at', '=', before![0]), is('id', '<', before![1])]),
            ]),
          ),
        )
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),

    async messages(id, { limit, before }) {
      const rows = await db
        .selectFrom('conversation_messages')
        .selectAll()
        .where('conversation_id', '=', id)
        .$if(before !== undefined, (query) => query.where('n', '<', before!))
        .orderBy('n', 'desc')
        .limit(limit)
        .execute();
      return rows.reverse();
    },

    async lastShown(id) {
      const row = await db
        .selectFrom('conversation_messages')
        .select('shown')
        .where('conversation_id', '=', id)
        .where('shown', 'is not', null)
        .orderBy('n', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.shown ?? undefined;
    },
  };
}

function toRow(conversation_id: string, n: number, message: NewMessage): ConversationMessagesTable {
  const { id, role, content, at, context, decided, shown, mark } = message;
  return {
    id,
    conversation_id,
    n,
    role,
    content,
    created_at: at,
    context: context ?? null,
    decided: decided ?? null,
    shown: shown ?? null,
    mark: mark ?? null,
  };
}

/** Deletes the least recently used conversations to make room for one more. */
async function forgetOldest(trx: Transaction<Tables>, userId: string): Promise<void> {
  const { n } = await trx
    .selectFrom('conversations')
    .select((is) => is.fn.countAll().as('n'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  const surplus = Number(n) - MAX_CONVERSATIONS + 1;
  if (surplus <= 0) return;
  const oldest = await trx
    .selectFrom('conversations')
    .select('id')
    .where('user_id', '=', userId)
    .where('busy_by', 'is', null)
    .orderBy('updated_at')
    .orderBy('id')
    .limit(surplus)
    .execute();
  const ids = oldest.map(({ id }) => id);
  if (ids.length === 0) return;
  await trx.deleteFrom('conversation_messages').where('conversation_id', 'in', ids).execute();
  await trx.deleteFrom('conversations').where('id', 'in', ids).execute();
}

function lockLost(): ProxyError {
  return new ProxyError(
    'CONFLICT',
    'Another message in this conversation was answered in the meantime. Read it, then send yours again',
  );
}
