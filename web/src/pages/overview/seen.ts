const KEY = 'mcpproxy.seen';
const MOST = 200;

type Seen = Record<string, string>;

function read(): Seen {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Seen;
  } catch {
    return {};
  }
}

/** Until when a person has seen what happened, by the name of the thing; kept in this browser. */
export const seenUntil = (name: string): string | undefined => {
  const seen = read();
  return Object.hasOwn(seen, name) ? seen[name] : undefined;
};

/** Undefined takes it back. */
export function setSeen(name: string, until: string | undefined): void {
  const { [name]: _before, ...others } = read();
  const kept = Object.entries(others).slice(1 - MOST);
  const next = Object.fromEntries(until === undefined ? kept : [...kept, [name, until]]);
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // Without storage it is seen until the page is loaded again, or not at all.
  }
}
