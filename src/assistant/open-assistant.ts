import { durationMs, type Config } from '../contract/config.ts';
import type { Database } from '../db/index.ts';
import { createPendingDeletes } from './conversation/pending-deletes.ts';
import { createAssistant, type Assistant } from './assistant.ts';
import { createConversationStore } from './conversation/conversation-store.ts';
import type { AnswerParts } from './act/answer-message.ts';
import { classifyContext } from './read/classify.ts';

export type AssistantParts = Pick<AnswerParts, 'callTool' | 'activity' | 'clock'> &
  Parameters<typeof createPendingDeletes>[0] & {
    db: Pick<Database, 'kysely' | 'engine'>;
    config: () => Pick<Config, 'assistant'>;
  };

/** Finds the conversations that a killed process left locked, and opens the assistant. */
export async function openAssistant({
  db,
  approvals,
  catalog,
  config,
  ...parts
}: AssistantParts): Promise<Assistant> {
  const store = createConversationStore(db.kysely);
  // A SQLite file belongs to one proxy, so remaining locks were left by a killed process.
  if (db.engine === 'sqlite') await store.releaseAll();
  return createAssistant({
    ...parts,
    store,
    pendingDeletes: createPendingDeletes({ approvals, catalog }),
    classify: classifyContext,
    confirmationMs: () => durationMs(config().assistant.confirmation_ttl),
  });
}
