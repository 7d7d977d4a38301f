import type { ReactNode } from 'react';
import { visibleText } from '../../../src/lib/visible-text.ts';
import { useIsLost } from '../live/connection.ts';

export function Loading({ what }: { what: string }) {
  return (
    <p className="muted" role="status">
      Loading {what}…
    </p>
  );
}

/** Shown instead of data that cannot be known without an answer from the proxy. */
function NotKnown() {
  return <p className="muted">Unavailable while the connection to the proxy is lost.</p>;
}

/** An empty state: says why nothing is shown and what to do. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  if (useIsLost()) return <NotKnown />;
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** A statement about the current state, such as "no pending approvals": only shown while the proxy answers. */
export function Claim({ children }: { children: ReactNode }) {
  if (useIsLost()) return <NotKnown />;
  return <p className="muted">{children}</p>;
}

interface Answer<T> {
  data: T | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/**
 * Renders the answer of a query. Without an answer it says so, so that no view shows "not fetched" as "empty". An answer stays visible
 * when a later request fails.
 */
export function Fetched<T>({
  query: { data, error, refetch },
  what,
  children,
}: {
  query: Answer<T>;
  what: string;
  children: (data: T) => ReactNode;
}) {
  const isLost = useIsLost();
  return (
    <>
      {error && <QueryProblem error={error} onRetry={() => void refetch()} />}
      {data !== undefined && children(data)}
      {data === undefined && isLost && <NotKnown />}
      {data === undefined && !isLost && !error && <Loading what={what} />}
    </>
  );
}

/** The error of a query. Hidden while the connection is lost: the banner says so once for the whole page. */
export function QueryProblem({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return useIsLost() ? null : <Problem error={error} onRetry={onRetry} />;
}

/** An error message with an optional retry button. */
export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div className="note note-bad" role="alert">
      <p>{visibleText(message)}</p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
