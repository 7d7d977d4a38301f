import { useEffect, useState } from 'react';
import { ConnectionBanner } from '../live/connection-banner.tsx';
import { setConnection } from '../live/connection.ts';
import { Shell } from '../shell/shell.tsx';
import { LogInPage } from './log-in-page.tsx';
import { queries } from './api.ts';
import { hasSession, logIn, takeLoginCode, watchSessionEnd } from './session.ts';
import { ProxyError } from '../../../src/contract/errors.ts';

type State = { at: 'start' } | { at: 'in' } | { at: 'out'; problem?: string };

const SESSION_ENDED: State = { at: 'out', problem: 'Your session has ended. Log in again.' };

/** Read once, because reading removes it from the address. */
const code = takeLoginCode();

const RETRY_MS = 2000;

async function enter(): Promise<State> {
  try {
    if (code !== undefined) await logIn({ code });
    const state: State = (await hasSession()) ? { at: 'in' } : { at: 'out' };
    setConnection('connecting');
    return state;
  } catch (error) {
    if (error instanceof ProxyError && error.code === 'NO_DAEMON') {
      // Whether a session exists is unknown, so neither page can be shown yet.
      setConnection('lost');
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      return enter();
    }
    // A used log-in link does not matter when a session exists.
    if (await hasSession().catch(() => false)) return { at: 'in' };
    return { at: 'out', problem: error instanceof Error ? error.message : String(error) };
  }
}

const entering = enter();

/** Shows the app with a session and the log-in page without one, also when the session ends later. */
export function Gate() {
  const [state, setState] = useState<State>({ at: 'start' });
  useEffect(() => {
    void entering.then(setState);
  }, []);
  useEffect(() => {
    const stop = watchSessionEnd(() => setState((before) => (before.at === 'in' ? SESSION_ENDED : before)));
    return stop;
  }, []);
  useEffect(() => {
    // Cached data must not outlive its session.
    if (state.at === 'out') queries.clear();
  }, [state]);
  if (state.at === 'start') return <ConnectionBanner />;
  if (state.at === 'in') return <Shell onLogOut={() => setState({ at: 'out' })} />;
  return <LogInPage problem={state.problem} onDone={() => setState({ at: 'in' })} />;
}
