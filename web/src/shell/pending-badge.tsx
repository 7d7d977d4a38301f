import { useEffect, useRef } from 'react';
import { usePending } from '../pages/approvals/use-pending.ts';

/** The number of pending approvals: beside the link, in the tab title, and as a notification where the person allowed notifications. */
export function PendingBadge() {
  const { data } = usePending();
  const waiting = data?.approvals.length ?? 0;
  const shown = data && data.next_cursor !== null ? `${waiting}+` : String(waiting);
  const known = useRef<Set<string>>(undefined);
  useEffect(() => {
    const plain = document.title.replace(/^\(\d+\+?\) /, '');
    document.title = waiting > 0 ? `(${shown}) ${plain}` : plain;
  });
  useEffect(() => {
    if (!data) return;
    const fresh = known.current && data.approvals.filter(({ id }) => !known.current!.has(id));
    known.current = new Set(data.approvals.map(({ id }) => id));
    for (const { id, server, tool, operation } of fresh ?? []) notify(id, `${operation}: ${server}:${tool}`);
  }, [data]);
  if (waiting === 0) return null;
  return (
    <span className="badge tone-wait">
      {shown} <span className="sr-only">pending</span>
    </span>
  );
}

function notify(id: string, body: string): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  const shown = new Notification('A call is waiting for your approval', { body, tag: id });
  shown.addEventListener('click', () => {
    window.focus();
    shown.close();
  });
}
