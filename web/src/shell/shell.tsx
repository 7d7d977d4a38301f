import { Suspense, useEffect, useState } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { ConnectionBanner } from '../live/connection-banner.tsx';
import { useConnection, type Connection } from '../live/connection.ts';
import { startLive } from '../live/live.ts';
import { Icon } from '../parts/icon.tsx';
import { Loading, Problem } from '../parts/states.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { useTask } from '../parts/use-task.ts';
import { refetchAll } from '../session/api.ts';
import { hasSession, logOut, sessionEnded } from '../session/session.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { Keyboard } from './palette.tsx';
import { PAGES, pageAt } from './pages.ts';
import { PendingBadge } from './pending-badge.tsx';
import { RollbackBanner } from './rollback-banner.tsx';
import { currentTheme, nextTheme } from './theme.ts';

/** The frame around every page: navigation, connection state, theme and log-out. */
export function Shell({ onLogOut }: { onLogOut: () => void }) {
  useEffect(() => {
    const stop = startLive({ onMissed: refetchAll, hasSession, onSessionEnd: sessionEnded });
    return stop;
  }, []);
  const [here] = useLocation();
  const title = pageAt(here)?.title;
  const leaving = useTask();
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="bar">
        <p className="brand">mcpproxy</p>
        <Navigation />
        <div className="bar-end">
          <ConnectionState />
          <ThemeButton />
          <button
            className="quiet"
            type="button"
            disabled={leaving.busy}
            onClick={() => leaving.run(() => logOut().then(onLogOut))}
          >
            Log out
          </button>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <ConnectionBanner />
        <RollbackBanner />
        {leaving.error !== undefined && <Problem error={leaving.error} />}
        <ErrorBoundary key={here} what={title === undefined ? 'This page' : `The page “${title}”`}>
          <Suspense fallback={<Loading what="the page" />}>
            <Switch>
              {PAGES.map(({ path, view }) => (
                <Route key={path} path={path} component={view} />
              ))}
              <Route>
                <h1>Page not found</h1>
                <p>
                  <Link href="/">Go to the overview</Link>
                </p>
              </Route>
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </main>
      <Toasts />
      <Keyboard />
    </div>
  );
}

const isWithin = (here: string, path: string): boolean => {
  const page = pageAt(here);
  return page?.path === path || page?.within === path;
};

function Navigation() {
  const [here] = useLocation();
  useEffect(() => {
    const title = pageAt(here)?.title;
    document.title = title ? `${title} · mcpproxy` : 'mcpproxy';
  }, [here]);
  return (
    <nav aria-label="Pages">
      <ul>
        {PAGES.filter(({ within }) => within === undefined).map(({ path, title, icon }) => (
          <li key={path}>
            <Link href={path} aria-current={isWithin(here, path) ? 'page' : undefined}>
              <Icon name={icon} />
              <span className="nav-title">{title}</span>
              {path === '/approvals' && <PendingBadge />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const CONNECTIONS: Record<Connection, string> = {
  live: 'Live',
  connecting: 'Connecting…',
  lost: 'Not connected',
};

function ConnectionState() {
  const connection = useConnection();
  return (
    <span className={connection === 'live' ? 'live live-on' : 'live'} role="status">
      {CONNECTIONS[connection]}
    </span>
  );
}

function ThemeButton() {
  const [theme, setTheme] = useState(currentTheme());
  return (
    <button
      className="quiet"
      type="button"
      title="Switch between light, dark and system theme"
      onClick={() => setTheme(nextTheme())}
    >
      Theme: {theme}
    </button>
  );
}
