import { Link } from 'wouter';
import type { ConversationMessage } from '../../../../src/contract/chat.ts';
import { CodeView } from '../../parts/code-view.tsx';
import { Time } from '../../parts/time.tsx';
import { Paragraph } from '../../parts/untrusted.tsx';

/** One message; each can show how it was understood, what was decided, and the calls behind it. */
export function Message({ message, conversation }: { message: ConversationMessage; conversation: string }) {
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
                <dt>Decided</dt>
                <dd>{decision.decision_type}</dd>
              </>
            )}
            {because && because.length > 0 && (
              <>
                <dt>Because</dt>
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
            the records of this conversation
          </Link>
        </details>
      )}
    </article>
  );
}
