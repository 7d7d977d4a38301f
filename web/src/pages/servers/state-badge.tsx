import { waitingText, type ServerState, type ServerView } from '../../../../src/contract/status.ts';
import { useNow } from '../../parts/time.tsx';

const TONES: Record<ServerState, string> = {
  ready: 'tone-good',
  connecting: 'tone-wait',
  degraded: 'badge-write',
  failed: 'tone-bad',
  disabled: '',
};

export function StateBadge({ state }: { state: ServerState }) {
  return <span className={`badge ${TONES[state]}`}>{state}</span>;
}

/** What a server that is being connected has not said yet. */
export function Waiting({ server }: { server: ServerView }) {
  const text = waitingText(server, useNow());
  return text === undefined ? null : <span className="muted">{text}</span>;
}

/** The next step for the troubles that people meet most. */
export function whatToDo({ last_error: error = '', transport }: ServerView): string | undefined {
  if (/ENOENT|not found|no such file/i.test(error))
    return 'The program was not found: is it installed, and is it on the PATH of the user who runs mcpproxy?';
  if (/EACCES|permission/i.test(error))
    return 'The program may not be run by this user: check its permissions.';
  if (/401|403|unauthori/i.test(error))
    return 'The server wants a credential: give it in the headers, as ${env:NAME}.';
  if (/ECONNREFUSED|ENOTFOUND|timed? ?out/i.test(error) && transport !== 'stdio')
    return 'Nobody answers at this URL: check that the server runs and that the address is right.';
  return error === '' ? undefined : 'The log below may say more; "Restart" tries again at once.';
}
