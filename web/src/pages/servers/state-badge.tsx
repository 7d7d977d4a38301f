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

/** What a connecting server is waiting for. */
export function ConnectionProgress({ server }: { server: ServerView }) {
  const text = waitingText(server, useNow());
  return text === undefined ? null : <span className="muted">{text}</span>;
}

/** The next step for the most common connection errors. */
export function nextStep({ last_error: error = '', transport }: ServerView): string | undefined {
  if (/ENOENT|not found|no such file/i.test(error))
    return 'The program was not found. Check that it is installed and on the PATH of the user who runs mcpproxy.';
  if (/EACCES|permission/i.test(error))
    return 'The user who runs mcpproxy may not execute the program. Check its permissions.';
  if (/401|403|unauthori/i.test(error))
    return 'The server requires a credential. Add it to the headers as ${env:NAME}.';
  if (/ECONNREFUSED|ENOTFOUND|timed? ?out/i.test(error) && transport !== 'stdio')
    return 'The URL does not answer. Check that the server is running and that the address is correct.';
  return error === '' ? undefined : 'The log below may show the cause. "Restart" tries again immediately.';
}
