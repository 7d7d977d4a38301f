import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import { MESSAGE_MAX_LENGTH } from '../../../../src/contract/chat.ts';
import { Fetched, Problem } from '../../parts/states.tsx';
import { useTask } from '../../parts/use-task.ts';
import { queries, client, useApi } from '../../session/api.ts';
import { Message } from './message.tsx';

interface Props {
  conversation: string | undefined;
  onAnswer: (conversation: string) => void;
}

/** The conversation, and the line to write in. */
export function Talk({ conversation, onAnswer }: Props) {
  const detail = useApi(
    'getConversation',
    { id: conversation ?? '' },
    { enabled: conversation !== undefined },
  );
  const [text, setText] = useState('');
  const task = useTask();
  const end = useRef<HTMLDivElement>(null);
  // Placeholder data is the conversation that was open before.
  const loaded = detail.isPlaceholderData ? undefined : detail.data;
  const messages = conversation === undefined ? [] : (loaded?.messages ?? []);
  const last = messages.at(-1)?.id;
  useEffect(() => {
    // Newer browsers give a promise back, which React would take for a clean-up function: nothing is returned from here.
    end.current?.scrollIntoView({ block: 'nearest' });
  }, [last]);

  function send(): void {
    const message = text.trim();
    if (message === '' || task.busy) return;
    task.run(async () => {
      const answer = await client.request('chat', {
        body: { message, ...(conversation !== undefined && { conversation_id: conversation }) },
      });
      setText('');
      await queries.invalidateQueries({ queryKey: ['getConversation'] });
      await queries.invalidateQueries({ queryKey: ['listConversations'] });
      onAnswer(answer.conversation_id);
    });
  }

  function onKey(event: KeyboardEvent): void {
    // While a word is being put together (Japanese, Chinese, …), Enter takes the word.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  }

  return (
    <section className="card talk" aria-label="Conversation">
      <div className="messages" role="log" aria-live="polite">
        {conversation !== undefined && (
          <Fetched query={{ ...detail, data: loaded }} what="the conversation">
            {() => null}
          </Fetched>
        )}
        {conversation === undefined && (
          <p className="muted">
            Say what you want: “add buy milk”, “what is on my list?”, “I finished the report”, “delete the
            first one”. Deleting always asks first.
          </p>
        )}
        {messages.map((message) => (
          <Message key={message.id} message={message} conversation={conversation!} />
        ))}
        <div ref={end} />
      </div>
      {task.error !== undefined && <Problem error={task.error} />}
      <form
        className="row say"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          send();
        }}
      >
        <label className="field grow">
          <span>Message</span>
          <textarea
            rows={2}
            value={text}
            maxLength={MESSAGE_MAX_LENGTH}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKey}
          />
        </label>
        <button className="primary" type="submit" disabled={task.busy || text.trim() === ''}>
          {task.busy ? 'Sending …' : 'Send'}
        </button>
      </form>
    </section>
  );
}
