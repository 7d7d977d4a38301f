import type { ReactNode } from 'react';
import { visibleText } from '../../../src/lib/visible-text.ts';
import { useIsLost } from '../live/connection.ts';

export function Loading({ what }: { what: string }) {
  return (
    <p className="muted" role="status">
      Loading {what} …
    </p>
  );
}

/** Takes the place of a claim that cannot be made without an answer of the proxy. */
function NotKnown() {
  return <p className="muted">Not known while the connection to the proxy is lost.</p>;
}

/** Nothing to show yet: says why, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  if (useIsLost()) return <NotKnown />;
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** A statement about now, as "nothing waits": only made while the proxy answers. */
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
 * Shows what the proxy answered. As long as there is no answer it says that, so that no view takes "not fetched" for "nothing there". An
 * answer stays in view when a later one fails.
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

/** Why something could not be fetched. While the connection is lost the banner says it, once for the whole page. */
export function QueryProblem({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return useIsLost() ? null : <Problem error={error} onRetry={onRetry} />;
}

/** What went wrong, and a way to try again. */
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
