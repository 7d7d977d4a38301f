import { recordedChange, type JudgedChange } from '../../config/index.ts';
import type { ConfigState } from '../../contract/status.ts';

type Weakened = ConfigState['weakened'][number];

/** The settings that edits of the file have weakened since the last confirmation. */
export interface WeakenedList {
  add(found: Weakened[]): void;
  /** Drops settings that were changed and need no confirmation any more. */
  forget(changes: JudgedChange[], open: ReadonlySet<string>): void;
  clear(): void;
  state(): Pick<ConfigState, 'weakened' | 'more'>;
}

const MAX_LISTED = 100;

export function createWeakenedList(
  from: Pick<ConfigState, 'weakened' | 'more'> = { weakened: [], more: 0 },
): WeakenedList {
  let { weakened, more } = from;
  return {
    add(found) {
      const listed = found.slice(0, MAX_LISTED - weakened.length);
      weakened = [...weakened, ...listed];
      more += found.length - listed.length;
    },
    forget(changes, open) {
      const settled = changes.filter(({ setting }) => !open.has(setting)).map(recordedChange);
      const paths = new Set(settled.map(({ path }) => path));
      weakened = weakened.filter(({ path }) => !paths.has(path));
      if (open.size === 0 && changes.length > 0) more = 0;
    },
    clear() {
      weakened = [];
      more = 0;
    },
    state: () => ({ weakened, more }),
  };
}
