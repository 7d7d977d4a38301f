import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import { Link } from 'wouter';
import { MESSAGE_MAX_LENGTH, type ConversationMessage } from '../../../../src/contract/chat.ts';
import { Fetched, Problem } from '../../parts/states.tsx';
import { useTask } from '../../parts/use-task.ts';
import { queries, client, useApi } from '../../session/api.ts';
import { CodeView } from '../../parts/code-view.tsx';
import { Time } from '../../parts/time.tsx';
import { Paragraph } from '../../parts/untrusted.tsx';

interface Props {
  conversation: string | undefined;
  onAnswer: (conversation: string) => void;
}

/** The messages of a conversation and the field for the next one. */
export function Conversation({ conversation, onAnswer }: Props) {
  const detail = useApi(
    'getConversation',
    { id: conversation ?? '' },
    { enabled: conversation !== undefined },
  );
  const [text, setText] = useState('');
  const task = useTask();
  const end = useRef<HTMLDivElement>(null);
  // Placeholder data belongs to the previous conversation.
  const loaded = detail.isPlaceholderData ? undefined : detail.data;
  const messages = conversation === undefined ? [] : (loaded?.messages ?? []);
  const last = messages.at(-1)?.id;
  useEffect(() => {
    // In braces: newer browsers give a promise here, which React would use as the clean-up function.
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
    // With an input method (Japanese, Chinese, …), Enter selects a word.
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
            Describe what you want: “add buy milk”, “what is on my list?”, “I finished the report”, “delete
            the first one”. The assistant always asks before it deletes a task.
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
          {task.busy ? 'Sending…' : 'Send'}
        </button>
      </form>
    </section>
  );
}

/** One message, with how it was understood, the decision and the calls behind it. */
function Message({ message, conversation }: { message: ConversationMessage; conversation: string }) {
  const { role, content, timestamp, user_intent: intent, decision, because } = message;
  return (
    <article className={`message message-${role}`}>
      <header className="row row-apart muted">
        <span>{role === 'user' ? 'You' : 'Assistant'}</span>
        <Time at={timestamp} />
      </header>
      <Paragraph text={content} />
      {(intent ?? decision) !== undefined && (
        <details>
          <summary>Why?</summary>
          <dl className="facts">
            {intent && (
              <>
                <dt>Understood as</dt>
                <dd>{intent.intent_type}</dd>
              </>
            )}
            {decision && (
              <>
                <dt>Decision</dt>
                <dd>{decision.decision_type}</dd>
              </>
            )}
            {because && because.length > 0 && (
              <>
                <dt>Reasons</dt>
                <dd>
                  {because.map((reason) => (
                    <Paragraph key={reason} text={reason} />
                  ))}
                </dd>
              </>
            )}
          </dl>
          {decision?.tool_calls && <CodeView label="Calls" value={decision.tool_calls} />}
          <Link href={`/activity?conversation_id=${encodeURIComponent(conversation)}`}>
            Records of this conversation
          </Link>
        </details>
      )}
    </article>
  );
}
