import type { Caller } from '../../contract/caller.ts';
import type { Held } from '../conversation/conversation-store.ts';

/** One message on its way to its answer. */
export interface Turn {
  held: Held;
  messageId: string;
  message: string;
  now: string;
  caller: Caller;
}
