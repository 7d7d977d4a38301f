import { ErrorBody } from '../../../src/contract/error-body.ts';
import { ProxyError } from '../../../src/contract/errors.ts';
import { BASE } from './base.ts';

/**
 * Scripts cannot read the session cookie. The CSRF token, which every change needs, is stored per origin, so that a server on another port
 * of this machine does not see it.
 */
const CSRF_KEY = 'mcpproxy csrf';
const SESSION_PATH = `${BASE}/web/session`;

export const csrf = (): string => localStorage.getItem(CSRF_KEY) ?? '';

async function requestSession(init?: RequestInit): Promise<Response> {
  try {
    return await fetch(SESSION_PATH, init);
  } catch (cause) {
    throw new ProxyError(
      'NO_DAEMON',
      'The proxy does not answer. Check that it is running ("mcpproxy serve"), then try again.',
    ).withCause(cause);
  }
}

/** Whether the page has a session cookie and its CSRF token. */
export async function hasSession(): Promise<boolean> {
  const answer = await requestSession();
  const { logged_in } = (await answer.json()) as { logged_in: boolean };
  return logged_in && csrf() !== '';
}

export async function logIn(by: { key: string } | { code: string }): Promise<void> {
  const answer = await requestSession({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(by),
  });
  const body: unknown = await answer.json();
  if (!answer.ok) {
    const refused = ErrorBody.safeParse(body);
    throw new Error(refused.success ? refused.data.error.message : `HTTP ${answer.status}`);
  }
  localStorage.setItem(CSRF_KEY, (body as { csrf: string }).csrf);
}

export async function logOut(): Promise<void> {
  await requestSession({ method: 'DELETE', headers: { 'x-mcpproxy-csrf': csrf() } });
  localStorage.removeItem(CSRF_KEY);
}

const endWatchers = new Set<() => void>();

/** Call this when the proxy no longer accepts the session of this page. */
export function sessionEnded(): void {
  for (const watcher of endWatchers) watcher();
}

/** Calls `onEnd` when the session ends from outside this page, for example by logging out in another tab. */
export function watchSessionEnd(onEnd: () => void): () => void {
  const onStorage = ({ key, newValue }: StorageEvent): void => {
    if (key === CSRF_KEY && newValue === null) onEnd();
  };
  endWatchers.add(onEnd);
  window.addEventListener('storage', onStorage);
  return () => {
    endWatchers.delete(onEnd);
    window.removeEventListener('storage', onStorage);
  };
}

/** The code of a one-time link. Removes it from the address, so that no bookmark and no history keeps it. */
export function takeLoginCode(): string | undefined {
  const code = /^#login=([\w-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return code;
}
