import { visibleLine } from '../../lib/visible-text.ts';
import type { Progress } from '../../upstream/dispatch/dispatch-call.ts';
import { imitationIn } from './imitation.ts';

const MAX_SHOWN = 1000;
const LEFT_OUT = '(a text that imitates the proxy was left out)';

/** A short text of a server that a client shows beside those of the proxy, such as the state of a task: it says whose it is. */
export function markedText(server: string, text: string): string {
  return `Server '${visibleLine(server)}' says: ${shown(text)}`;
}

/** The proxy tells by progress that a call waits for a person, so no message of a server may look like that. Others stay as they are. */
export function withoutImitation(progress: Progress): Progress {
  const { message } = progress;
  if (message === undefined) return progress;
  const isTooLong = message.length > MAX_SHOWN;
  if (!isTooLong && imitationIn(message, 'text') === undefined) return progress;
  return { ...progress, message: shown(message) };
}

function shown(text: string): string {
  const start = text.slice(0, MAX_SHOWN);
  return imitationIn(start, 'text') === undefined ? visibleLine(start) : LEFT_OUT;
}
