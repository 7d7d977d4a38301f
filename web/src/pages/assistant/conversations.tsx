import { QueryProblem } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useApi } from '../../session/api.ts';

/** Earlier conversations, the latest first. */
export function Conversations({ open, onOpen }: { open: string | undefined; onOpen: (id: string) => void }) {
  const page = useApi('listConversations', { limit: 20 });
  if (!page.data)
    return page.error && <QueryProblem error={page.error} onRetry={() => void page.refetch()} />;
  if (page.data.conversations.length === 0) return null;
  return (
    <section className="card stack" aria-label="Conversations">
      <h2>Conversations</h2>
      <ul className="tasks">
        {page.data.conversations.map(({ id, title, updated_at }) => (
          <li key={id}>
            <button
              type="button"
              className="link"
              aria-current={id === open ? 'true' : undefined}
              onClick={() => onOpen(id)}
            >
              <Line text={title} max={60} />
            </button>{' '}
            <span className="muted">
              <Time at={updated_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
