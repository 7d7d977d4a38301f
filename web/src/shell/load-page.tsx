import { use, type ComponentType } from 'react';
import { proxyAnswers } from '../live/connection.ts';
import { hasLoaded, mayReload } from './reload-once.ts';

interface PageModule {
  default: ComponentType;
}

/** The code of a page could not be loaded. `forget` clears the failed attempt, so that the next one starts again. */
export class PageLoadError extends Error {
  readonly forget: () => void;
  /** True where another attempt can succeed without a reload: the proxy did not answer. */
  readonly isTemporary: boolean;

  constructor(message: string, { cause, forget, isTemporary }: LoadFailure) {
    super(message, { cause });
    this.forget = forget;
    this.isTemporary = isTemporary;
  }
}

interface LoadFailure {
  cause: unknown;
  forget: () => void;
  isTemporary: boolean;
}

/** Identifies the build: the entry script names the files of all pages, so its own name changes with every build. */
const BUILD = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src ?? location.origin;

/**
 * A page whose code is loaded when it is first shown. After an upgrade of the proxy the files that this tab refers to no longer
 * exist, so the tab reloads once. React's `lazy` would cache a failure permanently.
 */
export function loadPage(path: string, load: () => Promise<PageModule>): ComponentType {
  const code = `${BUILD}#${path}`;
  let loading: Promise<PageModule> | undefined;

  async function attempt(): Promise<PageModule> {
    try {
      const module = await load();
      hasLoaded(code, sessionStorage);
      return module;
    } catch (cause) {
      return reloadOrThrow(code, cause, () => (loading = undefined));
    }
  }

  return function LoadedPage() {
    loading ??= attempt();
    const { default: View } = use(loading);
    return <View />;
  };
}

async function reloadOrThrow(code: string, cause: unknown, forget: () => void): Promise<never> {
  const reason = cause instanceof Error ? cause.message : String(cause);
  // Without the proxy a reload would show an error page of the browser.
  if (!(await proxyAnswers()))
    throw new PageLoadError(
      `This page could not be loaded because the proxy does not answer (${reason}). It loads automatically when the connection is restored.`,
      { cause, forget, isTemporary: true },
    );
  if (mayReload(code, sessionStorage)) {
    location.reload();
    return new Promise(() => {}); // the reload ends it
  }
  throw new PageLoadError(
    `This page could not be loaded, even after a reload (${reason}). The proxy may be restarting after an upgrade. Try again in a moment.`,
    { cause, forget, isTemporary: false },
  );
}
