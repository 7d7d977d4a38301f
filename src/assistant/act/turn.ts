import type { Caller } from '../../contract/call.ts';
import type { Held } from '../conversation/conversation-store.ts';

/** One message on its way to its answer. */
export interface Turn {
  held: Held;
  messageId: string;
  message: string;
  now: string;
  caller: Caller;
}
