import { useRef, useState, type FormEvent } from 'react';
import { logIn } from './session.ts';

/** Log-in with the API key. The key is sent once and not stored. */
export function LogInPage({ problem, onDone }: { problem: string | undefined; onDone: () => void }) {
  const [error, setError] = useState(problem);
  const [busy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const key = input.current!.value.trim();
    setBusy(true);
    try {
      await logIn({ key });
      onDone();
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : String(cause));
    } finally {
      setBusy(false);
    }
  }

  return (
    <main className="log-in">
      <form className="card stack" onSubmit={(event) => void submit(event)}>
        <h1>mcpproxy</h1>
        <p>
          Run <code>mcpproxy open</code> on the machine where the proxy runs and open the link, or enter the
          API key.
        </p>
        {error !== undefined && (
          <p className="note note-bad" role="alert">
            {error}
          </p>
        )}
        <label className="field">
          <span>API key</span>
          <input ref={input} type="password" autoComplete="off" required autoFocus />
        </label>
        <button className="primary" type="submit" disabled={busy}>
          {busy ? 'Logging in…' : 'Log in'}
        </button>
        <p className="muted">
          The key is in the file <code>api_key</code> in the data directory. To find the directory, run{' '}
          <code>mcpproxy config path -o json</code>.
        </p>
      </form>
    </main>
  );
}
