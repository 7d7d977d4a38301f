const KEY = 'mcpproxy reloaded for';
/** Behind a load balancer a tab may meet several builds in turn; this many reloads in a row are enough for any of them. */
const MAX_RELOADS = 10;

interface SessionStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const reloadedFor = (storage: SessionStore): string[] =>
  (storage.getItem(KEY) ?? '').split(' ').filter(Boolean);

/** Whether the tab may reload itself because `code` is missing. Where a reload did not bring it, another one would not either. */
export function mayReload(code: string, storage: SessionStore): boolean {
  try {
    const before = reloadedFor(storage);
    if (before.includes(code) || before.length >= MAX_RELOADS) return false;
    storage.setItem(KEY, [...before, code].join(' '));
    // What was not kept would be asked again after the reload, and again.
    return reloadedFor(storage).includes(code);
  } catch {
    return false;
  }
}

/** The code is there: should it ever be missing again, a reload may help again. */
export function hasLoaded(code: string, storage: SessionStore): void {
  try {
    const before = reloadedFor(storage);
    if (before.includes(code)) storage.setItem(KEY, before.filter((other) => other !== code).join(' '));
  } catch {
    // Without a memory there was no reload.
  }
}
