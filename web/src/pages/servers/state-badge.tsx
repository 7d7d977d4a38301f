import { waitingText, type ServerState, type ServerView } from '../../../../src/contract/status.ts';
import { useNow } from '../../parts/time.tsx';

const TONES: Record<ServerState, string> = {
  ready: 'tone-good',
  connecting: 'tone-wait',
  degraded: 'badge-write',
  needs_login: 'badge-write',
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
