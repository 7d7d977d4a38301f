import { randomUUID } from 'node:crypto';
import { ProxyError } from '../../contract/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ConversationStore, LockedConversation } from './conversation-store.ts';
import { shorten } from '../reply/wording.ts';

/** Longer than answering a message can take: an older lock belongs to a process that has ended. */
const LOCK_MS = 180_000;
const PATIENCE_MS = 15_000;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 200;
const MAX_MESSAGES = 10_000;

export interface Wanted {
  /** Absent: a new conversation. */
  id: string | undefined;
  userId: string;
  /** The first message, for the title of a new one. */
  title: string;
  at: string;
}

/** Messages of one conversation are answered one after the other, also by several proxies. Waits for the lock, with a time-out. */
export async function lockConversation(
  { store, clock }: { store: ConversationStore; clock: Clock },
  { id, userId, title, at }: Wanted,
  signal: AbortSignal,
): Promise<LockedConversation> {
  const holder = randomUUID();
  const lease = () => ({ holder, now: clock.now(), until: clock.now() + LOCK_MS });
  if (id === undefined)
    return store.create({ id: randomUUID(), userId, title: shorten(title, 80), at }, lease());
  const end = performance.now() + PATIENCE_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const conversation = await store.lock(id, userId, lease());
    if (conversation === undefined) throw conversationNotFound(id);
    if (conversation !== 'busy') return withRoom(store, conversation);
    if (signal.aborted || performance.now() > end) throw busy();
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

async function withRoom(
  store: ConversationStore,
  conversation: LockedConversation,
): Promise<LockedConversation> {
  if (conversation.messages + 2 <= MAX_MESSAGES) return conversation;
  await store.release(conversation);
  throw new ProxyError(
    'CONFLICT',
    `This conversation has ${conversation.messages} messages, which is the limit. Nothing was done; start a new conversation`,
  );
}

export function conversationNotFound(id: string): ProxyError {
  const shown = id.slice(0, 64);
  return new ProxyError(
    'NOT_FOUND',
    `There is no conversation '${shown}'; leave the id out to start a new one`,
    {
      id: shown,
      conversation_id: shown,
    },
  );
}

function busy(): ProxyError {
  return new ProxyError(
    'CONFLICT',
    'Another message in this conversation is still being answered. Nothing was done; send this one again in a moment',
  );
}
