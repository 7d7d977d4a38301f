import type { Database } from '../db/index.ts';
import { createPendingDeletes } from './conversation/pending-deletes.ts';
import { createAssistant, type Assistant } from './assistant.ts';
import { createConversationStore } from './conversation/conversation-store.ts';
import type { AnswerParts } from './act/answer-message.ts';
import { classifyContext } from './read/classify.ts';

export type AssistantParts = Pick<AnswerParts, 'callTool' | 'activity' | 'clock'> &
  Parameters<typeof createPendingDeletes>[0] & { db: Pick<Database, 'kysely' | 'engine'> };

/** With everything that it knows of language, which is why a proxy whose assistant nobody talks to does not load it. */
export async function openAssistant({
  db,
  approvals,
  catalog,
  ...parts
}: AssistantParts): Promise<Assistant> {
  const store = createConversationStore(db.kysely);
  // A SQLite file belongs to one proxy: what is still held was left by one that was killed, and nobody should wait for it.
  if (db.engine === 'sqlite') await store.releaseAll();
  return createAssistant({
    ...parts,
    store,
    pendingDeletes: createPendingDeletes({ approvals, catalog }),
    classify: classifyContext,
  });
}
