import { Component, useEffect, useRef, type ReactNode } from 'react';
import { visibleText } from '../../../src/lib/visible-text.ts';
import { proxyAnswers, useIsLost } from '../live/connection.ts';
import { queries } from '../session/api.ts';
import { PageLoadError } from './load-page.tsx';

const MAX_REASON = 500;

interface Props {
  /** Name of the part, used as the subject of the error title. */
  what: string;
  children: ReactNode;
}

interface State {
  failure?: { error: unknown };
}

/** Replaces a part of the page that crashed by the error and ways to recover. The rest of the page stays usable. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { failure: { error } };
  }

  override componentWillUnmount(): void {
    this.#forget();
  }

  #forget(): void {
    const error = this.state.failure?.error;
    if (error instanceof PageLoadError) error.forget();
  }

  readonly #retry = (): void => {
    this.#forget();
    // Drop cached answers that only the failed part used: they may have caused the crash.
    queries.removeQueries({ type: 'inactive' });
    this.setState({ failure: undefined });
  };

  override render(): ReactNode {
    const { failure } = this.state;
    if (!failure) return this.props.children;
    return <Failure what={this.props.what} error={failure.error} onRetry={this.#retry} />;
  }
}

function Failure({ what, error, onRetry }: { what: string; error: unknown; onRetry: () => void }) {
  const reason = error instanceof Error ? error.message : String(error);
  const isMissing = error instanceof PageLoadError;
  useRetry(isMissing && error.isTemporary, onRetry);
  return (
    <section className="card stack failure" role="alert">
      <h1>{what} failed</h1>
      <p>{visibleText(reason.slice(0, MAX_REASON))}</p>
      <div className="row">
        <button
          type="button"
          className="primary"
          onClick={isMissing ? () => void reloadIfProxyAnswers() : onRetry}
        >
          Try again
        </button>
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    </section>
  );
}

/** Some browsers cache a failed import, so only a reload helps; but without the proxy a reload would lose this page. */
async function reloadIfProxyAnswers(): Promise<void> {
  if (await proxyAnswers()) location.reload();
}

const RETRY_MS = 3000;

/**
 * Retries a failed import: when the proxy answers again, and from time to time while it is connected, because a slow proxy can miss the
 * attempt without the connection being lost.
 */
function useRetry(isEnabled: boolean, onRetry: () => void): void {
  const isLost = useIsLost();
  const wasLost = useRef(isLost);
  useEffect(() => {
    const delay = wasLost.current ? 0 : RETRY_MS;
    wasLost.current = isLost;
    if (isLost || !isEnabled) return undefined;
    const timer = setTimeout(onRetry, delay);
    return () => clearTimeout(timer);
  }, [isLost, isEnabled, onRetry]);
}
