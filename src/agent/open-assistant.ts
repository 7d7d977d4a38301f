import type { Database } from '../db/database.ts';
import { createPendings } from './ask-in-conversation.ts';
import { createAssistant, type Assistant } from './assistant.ts';
import { createConversationStore } from './conversation-store.ts';
import type { ConverseParts } from './converse.ts';
import { understand } from './understand.ts';

export type AssistantParts = Pick<ConverseParts, 'callTool' | 'activity' | 'clock'> &
  Parameters<typeof createPendings>[0] & { db: Pick<Database, 'kysely'> };

/** With everything that it knows of language, which is why a proxy whose assistant nobody talks to does not load it. */
export function openAssistant({ db, approvals, catalog, ...parts }: AssistantParts): Assistant {
  return createAssistant({
    ...parts,
    store: createConversationStore(db.kysely),
    pendings: createPendings({ approvals, catalog }),
    classify: understand,
  });
}
