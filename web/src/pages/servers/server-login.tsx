import { useState } from 'react';
import { isLoginPage, type StartedLogin } from '../../../../src/contract/oauth.ts';
import type { ServerView } from '../../../../src/contract/status.ts';
import { Problem } from '../../parts/states.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useTask } from '../../parts/use-task.ts';
import { useApi, useChange } from '../../session/api.ts';

const POLL_MS = 1000;

/** Logs in to a server and out of it. The page of the log-in is opened only by a click that follows the name of its host. */
export function ServerLogin({ server: { name, login } }: { server: ServerView }) {
  const start = useChange('startLogin', ['loginProgress', 'listServers']);
  const logOut = useChange('logoutServer', ['listServers']);
  const [begun, setBegun] = useState<StartedLogin>();
  const task = useTask();
  if (!login) return null;
  return (
    <div className="stack">
      <div className="row">
        {login.needed ? (
          <button
            type="button"
            className="primary"
            disabled={task.busy}
            onClick={() => task.run(async () => setBegun(await start.mutateAsync({ name, body: {} })))}
          >
            {begun ? 'Begin again' : 'Log in…'}
          </button>
        ) : (
          <button
            type="button"
            disabled={task.busy}
            onClick={() => task.run(() => logOut.mutateAsync({ name }))}
          >
            Log out
          </button>
        )}
        {!login.needed && login.issuer !== undefined && (
          <span className="muted">
            Logged in at <Line text={login.issuer} max={200} />
          </span>
        )}
      </div>
      {login.needed && begun && <LoginPage name={name} begun={begun} />}
      {task.error !== undefined && <Problem error={task.error} />}
    </div>
  );
}

function LoginPage({ name, begun }: { name: string; begun: StartedLogin }) {
  const progress = useApi('loginProgress', { name }, { refetchMs: POLL_MS });
  const page = begun.authorization_url ?? '';
  if (begun.done) return <p>Logged in.</p>;
  if (!isLoginPage(page)) return <p className="note note-bad">The page of the log-in does not use https.</p>;
  return (
    <div className="note">
      <p>
        You will log in at <Line text={new URL(page).host} max={200} />
        {begun.scopes.length > 0 && (
          <>
            {' '}
            and permit <Line text={begun.scopes.join(', ')} max={400} />
          </>
        )}
        .
      </p>
      <p>
        <a href={page} target="_blank" rel="noopener noreferrer">
          Open the log-in page
        </a>
      </p>
      {progress.data?.status === 'waiting' && <p className="muted">Waiting for the log-in…</p>}
      {progress.data?.status === 'failed' && (
        <p>
          <Line text={progress.data.reason ?? 'The log-in failed.'} max={600} />
        </p>
      )}
    </div>
  );
}
