import { useState } from 'react';
import { Link } from 'wouter';
import { CodeView } from '../../parts/code-view.tsx';
import { clientSnippets } from './client-snippets.ts';

/** What to do while nothing is connected, ready to copy. */
export function FirstSteps({ hasServers, hasCalls }: { hasServers: boolean; hasCalls: boolean }) {
  const snippets = clientSnippets(location.origin);
  const [chosen, setChosen] = useState(snippets[0]!.client);
  const snippet = snippets.find(({ client }) => client === chosen)!;
  if (hasServers && hasCalls) return null;
  return (
    <section className="card stack">
      <h2>First steps</h2>
      <ol className="steps">
        <li className={hasServers ? 'step-done' : undefined}>
          <Link href="/servers">Add a server</Link>, or take over those that a client has already.
        </li>
        <li>
          Make a token for your agent: <code>mcpproxy tokens create --name my-agent</code>
        </li>
        <li className={hasCalls ? 'step-done' : undefined}>Connect the agent with it:</li>
      </ol>
      <label className="field">
        <span>Client</span>
        <select value={chosen} onChange={(event) => setChosen(event.target.value)}>
          {snippets.map(({ client }) => (
            <option key={client}>{client}</option>
          ))}
        </select>
      </label>
      <CodeView label={snippet.where} value={snippet.text} />
    </section>
  );
}
