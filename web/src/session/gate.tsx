import { useEffect, useState } from 'react';
import { Shell } from '../shell/shell.tsx';
import { LogInPage } from './log-in-page.tsx';
import { queries } from './api.ts';
import { hasSession, logIn, takeLoginCode } from './session.ts';
import { ProxyError } from '../../../src/contract/errors.ts';

type State = { at: 'start' } | { at: 'in' } | { at: 'out'; problem?: string };

/** Read once, because it is taken out of the address. */
const code = takeLoginCode();

async function enter(): Promise<State> {
  try {
    if (code !== undefined) await logIn({ code });
    return (await hasSession()) ? { at: 'in' } : { at: 'out' };
  } catch (error) {
    // A link that was used already is no trouble for whoever is logged in.
    if (await hasSession().catch(() => false)) return { at: 'in' };
    return { at: 'out', problem: error instanceof Error ? error.message : String(error) };
  }
}

const entering = enter();

/** Shows the page to whoever is logged in, and the log-in to everybody else; also when a session ends meanwhile. */
export function Gate() {
  const [state, setState] = useState<State>({ at: 'start' });
  useEffect(() => void entering.then(setState), []);
  useEffect(
    () =>
      queries.getQueryCache().subscribe(({ query }) => {
        const { error } = query.state;
        if (error instanceof ProxyError && error.code === 'UNAUTHORIZED')
          setState({ at: 'out', problem: 'Your session has ended; log in again.' });
      }),
    [],
  );
  if (state.at === 'start') return null;
  if (state.at === 'in') return <Shell onLogOut={() => setState({ at: 'out' })} />;
  return (
    <LogInPage
      problem={state.problem}
      onDone={() => {
        queries.clear();
        setState({ at: 'in' });
      }}
    />
  );
}
