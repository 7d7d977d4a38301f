import { isWeaker, type Hints } from './verdict.ts';
import { canonicalJson } from '../../json/index.ts';

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;
export type HintSet = Partial<Record<(typeof HINTS)[number], unknown>>;

export interface HintState {
  /** As listed last. */
  hints: HintSet;
  /** The strictest since the operator last accepted them. */
  held: HintSet;
}

export interface HintChange {
  change: 'hints_weakened' | 'hints_strengthened' | 'hints_changed';
  before: HintSet;
  after: HintSet;
  held: HintSet;
}

/** Only the known hints. A hint is a flag, so any other value is malformed and kept shortened. */
export function hintsOf(annotations: Hints): HintSet {
  const hints: HintSet = {};
  for (const hint of HINTS) {
    const value = annotations && Object.hasOwn(annotations, hint) ? annotations[hint] : undefined;
    if (value !== undefined)
      hints[hint] = typeof value === 'boolean' || value === null ? value : shortened(value);
  }
  return hints;
}

function shortened(value: unknown): string {
  return canonicalJson(value).slice(0, 40);
}

export function nextHints(state: HintState, now: HintSet): { state: HintState; change?: HintChange } {
  if (canonicalJson(now) === canonicalJson(state.hints)) return { state };
  const weaker = isWeaker(now, state.held);
  const held = weaker ? state.held : now;
  const change = weaker
    ? 'hints_weakened'
    : isWeaker(state.held, now)
      ? 'hints_strengthened'
      : 'hints_changed';
  return { state: { hints: now, held }, change: { change, before: state.hints, after: now, held } };
}
