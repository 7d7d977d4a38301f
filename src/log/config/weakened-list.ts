import { recordedChange, type JudgedChange } from '../../config/index.ts';
import type { ConfigState } from '../../contract/status.ts';
import { canonicalJson } from '../../json/index.ts';

type Weakened = ConfigState['weakened'][number];

/** The settings that edits of the file have weakened since the last confirmation. */
export interface WeakenedList {
  add(found: Weakened[]): void;
  /** Drops settings that have their earlier value again. */
  forget(changes: JudgedChange[]): void;
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
    forget(changes) {
      const done = new Map(changes.map(recordedChange).map((change) => [change.path, change]));
      weakened = weakened.filter((each) => {
        const change = done.get(each.path);
        return !change || !isUndone(each, change);
      });
    },
    clear() {
      weakened = [];
      more = 0;
    },
    state: () => ({ weakened, more }),
  };
}

function isUndone(
  earlier: Pick<Weakened, 'change' | 'before'>,
  { change, after }: Pick<Weakened, 'change' | 'after'>,
): boolean {
  if (earlier.change === 'added') return change === 'removed';
  return earlier.before !== undefined && canonicalJson(earlier.before) === canonicalJson(after);
}
