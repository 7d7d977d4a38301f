import { useState } from 'react';
import { Link } from 'wouter';
import type { TokenView } from '../../../../src/contract/token.ts';
import { OperationBadge } from '../../parts/badges.tsx';
import { CopyButton } from '../../parts/buttons.tsx';
import { Fetched, Problem } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useTask } from '../../parts/use-task.ts';
import { useApi, useChange } from '../../session/api.ts';
import { NewTokenForm } from './new-token.tsx';

/** Agent tokens: one credential per agent, limited in scope and named in every record. */
export function Tokens() {
  const tokens = useApi('listTokens', {});
  const [secret, setSecret] = useState<string>();
  return (
    <section className="card stack">
      <div className="row row-apart">
        <h2>Agent tokens</h2>
        <Link href="/connect" className="button">
          Connect a client
        </Link>
      </div>
      <p className="muted">
        A token limits which tools an agent can call. An agent with a token cannot change settings or approve
        its own calls.
      </p>
      {secret !== undefined && (
        <div className="note" role="status">
          <p>Save the token now. It won’t be shown again.</p>
          <p className="row">
            <code>{secret}</code>
            <CopyButton text={secret} />
          </p>
        </div>
      )}
      <Fetched query={tokens} what="tokens">
        {(data) => (data.tokens.length > 0 ? <TokenTable tokens={data.tokens} /> : null)}
      </Fetched>
      <h3>Create a token</h3>
      <NewTokenForm onCreated={({ token }) => setSecret(token)} />
    </section>
  );
}

function TokenTable({ tokens }: { tokens: TokenView[] }) {
  const revoke = useChange('revokeToken', ['listTokens']);
  const task = useTask();
  return (
    <>
      <div className="table-scroll">
        <table className="stacked">
          <thead>
            <tr>
              <th>Name</th>
              <th>Operations</th>
              <th>Servers and tools</th>
              <th>Last used</th>
              <th>Expires</th>
              <th>
                <span className="sr-only">Revoke</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {tokens.map((token) => (
              <tr key={token.id}>
                <td>
                  <strong>{token.name}</strong>{' '}
                  {token.status !== 'active' && <span className="badge">{token.status}</span>}
                </td>
                <td>
                  <span className="row">
                    {token.operations.map((operation) => (
                      <OperationBadge key={operation} operation={operation} />
                    ))}
                  </span>
                </td>
                <td className="mono" data-label="Servers and tools">
                  {[...(token.servers ?? []), ...(token.tools ?? [])].join(', ') || 'all'}
                </td>
                <td data-label="Last used">
                  {token.last_used_at ? <Time at={token.last_used_at} /> : 'never'}
                </td>
                <td data-label="Expires">{token.expires_at ? <Time at={token.expires_at} /> : 'never'}</td>
                <td>
                  <button
                    type="button"
                    className="danger"
                    disabled={task.busy || token.status === 'revoked'}
                    onClick={() => task.run(() => revoke.mutateAsync({ id: token.id }))}
                  >
                    Revoke
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {task.error !== undefined && <Problem error={task.error} />}
    </>
  );
}
