const KEY = 'mcpproxy reloaded for';
/** Behind a load balancer a tab may get several builds in turn. This bounds the reloads in a row. */
const MAX_RELOADS = 10;

interface SessionStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const reloadedFor = (storage: SessionStore): string[] =>
  (storage.getItem(KEY) ?? '').split(' ').filter(Boolean);

/** Whether the tab may reload itself because `code` is missing: once per missing file. */
export function mayReload(code: string, storage: SessionStore): boolean {
  try {
    const before = reloadedFor(storage);
    if (before.includes(code) || before.length >= MAX_RELOADS) return false;
    storage.setItem(KEY, [...before, code].join(' '));
    // Without working storage the tab would reload forever.
    return reloadedFor(storage).includes(code);
  } catch {
    return false;
  }
}

/** The code was loaded: if it is missing later, a reload is allowed again. */
export function hasLoaded(code: string, storage: SessionStore): void {
  try {
    const before = reloadedFor(storage);
    if (before.includes(code)) storage.setItem(KEY, before.filter((other) => other !== code).join(' '));
  } catch {
    // Without storage there was no reload to forget.
  }
}
