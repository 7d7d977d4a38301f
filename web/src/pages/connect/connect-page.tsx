import { useState } from 'react';
import { Link } from 'wouter';
import { TOKEN_PLACE, type RouteOutput } from '../../../../src/contract/routes/api.ts';
import type { MadeToken } from '../../../../src/contract/token.ts';
import { CopyButton } from '../../parts/buttons.tsx';
import { CodeView } from '../../parts/code-view.tsx';
import { Fetched } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useApi } from '../../session/api.ts';
import { BASE } from '../../session/base.ts';
import { useOpened } from '../../parts/use-opened.ts';
import { NewTokenForm } from '../settings/new-token.tsx';

/** Where a recipe says that the token is a file. */
const TOKEN_FILE = '~/mcpproxy.token';
const POLL_MS = 2000;

/** Connects a client program: which one, what it may do, what to write into its files, and whether it has arrived. */
export default function ConnectPage() {
  const clients = useApi('listClients', {});
  const [chosen, choose] = useOpened('client');
  const [made, setMade] = useState<{ client: string; token: MadeToken }>();
  return (
    <>
      <h1>Connect a client</h1>
      <Fetched query={clients} what="clients">
        {({ clients: all }) => {
          const client = all.find(({ id }) => id === chosen);
          const token = made?.client === chosen ? made?.token : undefined;
          return (
            <>
              <section className="card stack">
                <h2>1. Choose the client</h2>
                <label className="field">
                  <span>Client</span>
                  <select
                    aria-label="Client"
                    value={client?.id ?? ''}
                    onChange={({ target }) => choose(target.value || undefined)}
                  >
                    <option value="">–</option>
                    {all.map(({ id, title }) => (
                      <option key={id} value={id}>
                        {title}
                      </option>
                    ))}
                  </select>
                </label>
                {client && (
                  <div className="note">
                    <p>
                      On this machine one command does all of this, also the rules by which reads pass and
                      changes ask:
                    </p>
                    <p className="row">
                      <code>mcpproxy connect {client.id}</code>
                      <CopyButton text={`mcpproxy connect ${client.id}`} />
                    </p>
                  </div>
                )}
              </section>
              {client && (
                <section className="card stack">
                  <h2>2. Choose what it may do</h2>
                  {token ? (
                    <p>
                      The token <strong>{token.name}</strong> was created.
                    </p>
                  ) : (
                    <NewTokenForm
                      key={client.id}
                      name={client.id}
                      button="Create the token and show the configuration"
                      onCreated={(next) => setMade({ client: client.id, token: next })}
                    />
                  )}
                </section>
              )}
              {client && token && <Configuration key={client.id} client={client.id} token={token} />}
              {token && <Arrival id={token.id} name={token.name} />}
            </>
          );
        }}
      </Fetched>
    </>
  );
}

function Configuration({ client, token }: { client: string; token: MadeToken }) {
  const entry = useApi('clientEntry', { client, url: `${location.origin}${BASE}/mcp` });
  return (
    <section className="card stack">
      <h2>3. Add the configuration</h2>
      <p className="note" role="status">
        Save the token now. It won’t be shown again.
      </p>
      <p className="row">
        <code>{token.token}</code>
        <CopyButton text={token.token} label="Copy the token" />
      </p>
      <Fetched query={entry} what="the configuration">
        {(data) => <Files entry={data} secret={token.token} />}
      </Fetched>
    </section>
  );
}

function Files({
  entry: { variable, files, notes },
  secret,
}: {
  entry: RouteOutput<'clientEntry'>;
  secret: string;
}) {
  const needsFile = files.some(({ text }) => text.includes(TOKEN_FILE));
  return (
    <>
      {variable !== null && (
        <>
          <p>
            The client reads the token from a variable of its environment. Set it where the client starts:
          </p>
          <CodeView label="Environment" value={`export ${variable}=${secret}`} />
        </>
      )}
      {needsFile && (
        <>
          <p>The client reads the token from a file. Create it on the machine of the client:</p>
          <CodeView label="Token file" value={`(umask 077 && printf %s '${secret}' > ${TOKEN_FILE})`} />
        </>
      )}
      <p>Add these parts to the files of the client. Keep what else is in them.</p>
      {files.map(({ file, text }) => (
        <CodeView key={file} label={file} value={text.replaceAll(TOKEN_PLACE, secret)} />
      ))}
      {notes.map((note) => (
        <p key={note} className="muted">
          {note}
        </p>
      ))}
    </>
  );
}

/** Whether the client has used its token. */
function Arrival({ id, name }: { id: string; name: string }) {
  const tokens = useApi('listTokens', {}, { refetchMs: POLL_MS });
  const used = tokens.data?.tokens.find((token) => token.id === id)?.last_used_at;
  return (
    <section className="card stack">
      <h2>4. Start the client</h2>
      <div role="status">
        {used ? (
          <p className="note">
            Connected. Last request <Time at={used} />.{' '}
            <Link href={`/agent?name=${encodeURIComponent(`token:${name}`)}`}>What it does</Link>
          </p>
        ) : (
          <p className="muted">Waiting for the first request with this token…</p>
        )}
      </div>
    </section>
  );
}
