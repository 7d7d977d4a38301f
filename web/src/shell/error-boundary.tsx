import { Component, useEffect, useRef, type ReactNode } from 'react';
import { visibleText } from '../../../src/lib/visible-text.ts';
import { proxyAnswers, useIsLost } from '../live/connection.ts';
import { queries } from '../session/api.ts';
import { PageLoadError } from './load-page.tsx';

const MAX_REASON = 500;

interface Props {
  /** What is inside, as the subject of a sentence. */
  what: string;
  children: ReactNode;
}

interface State {
  failure?: { error: unknown };
}

/** A fault inside takes this part of the page away and nothing else; it says what happened and offers ways on. */
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
    // Answers that only the failed part used: shown again, they would make it fail again.
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
  useRetryWhenBack(isMissing, onRetry);
  return (
    <section className="card stack failure" role="alert">
      <h1>{what} failed</h1>
      <p>{visibleText(reason.slice(0, MAX_REASON))}</p>
      <div className="row">
        <button
          type="button"
          className="primary"
          onClick={isMissing ? () => void reloadWhenAnswered() : onRetry}
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

/** Some browsers do not ask again for code that was missing once; without the proxy a reload would only lose this page. */
async function reloadWhenAnswered(): Promise<void> {
  if (await proxyAnswers()) location.reload();
}

/** Code that could not be loaded because the proxy was gone is there again when the proxy is. */
function useRetryWhenBack(isWanted: boolean, onRetry: () => void): void {
  const isLost = useIsLost();
  const wasLost = useRef(isLost);
  useEffect(() => {
    const isBack = wasLost.current && !isLost;
    wasLost.current = isLost;
    if (isBack && isWanted) onRetry();
  }, [isLost, isWanted, onRetry]);
}
