import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { Conversations } from './conversations.tsx';
import { Talk } from './talk.tsx';
import { TaskList } from './task-list.tsx';
import './assistant.css';

/** Chat with the task assistant, the tasks beside it. */
export default function AssistantPage() {
  const id = new URLSearchParams(useSearch()).get('conversation') ?? undefined;
  const [, navigate] = useLocation();
  const [turns, setTurns] = useState(0);
  const open = (conversation: string | undefined) =>
    navigate(
      conversation === undefined
        ? '/assistant'
        : `/assistant?conversation=${encodeURIComponent(conversation)}`,
    );
  return (
    <>
      <div className="row row-apart">
        <h1>Assistant</h1>
        <button type="button" onClick={() => open(undefined)}>
          New conversation
        </button>
      </div>
      <div className="assistant">
        <Talk
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
