import { useState } from 'react';
import { Conversation } from './conversation.tsx';
import { TaskList } from './task-list.tsx';
import './assistant.css';
import { QueryProblem } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useOpened } from '../../parts/use-opened.ts';
import { useApi } from '../../session/api.ts';

/** Chat with the task assistant, with the tasks and earlier conversations beside it. */
export default function AssistantPage() {
  const [id, open] = useOpened('conversation');
  const [turns, setTurns] = useState(0);
  return (
    <>
      <div className="row row-apart">
        <h1>Assistant</h1>
        <button type="button" onClick={() => open(undefined)}>
          New conversation
        </button>
      </div>
      <div className="assistant">
        <Conversation
          conversation={id}
          onAnswer={(conversation) => {
            setTurns((n) => n + 1);
            if (conversation !== id) open(conversation);
          }}
        />
        <div className="stack">
          <TaskList turns={turns} />
          <Conversations open={id} onOpen={open} />
        </div>
      </div>
    </>
  );
}

/** Earlier conversations, newest first. */
function Conversations({ open, onOpen }: { open: string | undefined; onOpen: (id: string) => void }) {
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
