import { useState, type FormEvent } from 'react';
import { OperationType } from '../../../../src/contract/operation.ts';
import type { TokenView } from '../../../../src/contract/token.ts';
import { OperationBadge } from '../../parts/badges.tsx';
import { CopyButton } from '../../parts/buttons.tsx';
import { Fetched, Problem } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useTask } from '../../parts/use-task.ts';
import { useApi, useChange } from '../../session/api.ts';

/** Agent tokens: one credential per agent, limited in scope and named in every record. */
export function Tokens() {
  const tokens = useApi('listTokens', {});
  const [secret, setSecret] = useState<string>();
  return (
    <section className="card stack">
      <h2>Agent tokens</h2>
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
      <NewTokenForm onCreated={setSecret} />
    </section>
  );
}

function TokenTable({ tokens }: { tokens: TokenView[] }) {
  const revoke = useChange('revokeToken', ['listTokens']);
  const task = useTask();
  return (
    <>
      <div className="table-scroll">
        <table>
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
                <td className="mono">
                  {[...(token.servers ?? []), ...(token.tools ?? [])].join(', ') || 'all'}
                </td>
                <td>{token.last_used_at ? <Time at={token.last_used_at} /> : 'never'}</td>
                <td>{token.expires_at ? <Time at={token.expires_at} /> : 'never'}</td>
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

function NewTokenForm({ onCreated }: { onCreated: (secret: string) => void }) {
  const create = useChange('createToken', ['listTokens']);
  const task = useTask();

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    const text = (name: string) => {
      const value = fields.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const list = (name: string) =>
      text(name)
        .split(/[\s,]+/)
        .filter(Boolean);
    const operations = OperationType.options.filter((operation) => fields.get(operation) !== null);
    task.run(async () => {
      const { token } = await create.mutateAsync({
        body: {
          name: text('name'),
          operations,
          ...(list('servers').length > 0 && { servers: list('servers') }),
          ...(list('tools').length > 0 && { tools: list('tools') }),
          ...(text('expires') && { expires: text('expires') }),
        },
      });
      form.reset();
      onCreated(token);
    });
  }

  return (
    <form className="stack" onSubmit={submit}>
      <h3>Create a token</h3>
      <div className="row">
        <label className="field">
          <span>Name</span>
          <input name="name" required pattern="[A-Za-z0-9][A-Za-z0-9_.\-]{0,63}" placeholder="cursor" />
        </label>
        <fieldset className="checks">
          <legend>Allowed operations</legend>
          {OperationType.options.map((operation) => (
            <label className="check" key={operation}>
              <input type="checkbox" name={operation} defaultChecked />
              {operation}
            </label>
          ))}
        </fieldset>
        <label className="field">
          <span>Servers (default: all)</span>
          <input name="servers" placeholder="github, files" />
        </label>
        <label className="field">
          <span>Tools (default: all)</span>
          <input name="tools" placeholder="github:list_*" />
        </label>
        <label className="field">
          <span>Expires after</span>
          <input name="expires" placeholder="90d" />
        </label>
      </div>
      {task.error !== undefined && <Problem error={task.error} />}
      <div className="row">
        <button className="primary" type="submit" disabled={task.busy}>
          Create token
        </button>
      </div>
    </form>
  );
}
