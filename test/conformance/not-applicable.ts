import type { List } from './scenarios.ts';

export interface NotApplicable {
  side: List['side'];
  /** A name, or the beginning of several when it ends with `*`. */
  scenarios: string[];
  why: string;
}

/** Everything of the official suite that does not run against the proxy. */
export const NOT_APPLICABLE: NotApplicable[] = [
  {
    side: 'server',
    scenarios: ['tasks-status-notifications'],
    why: 'The suite itself skips it: it has no client for this scenario yet. `test/e2e/background-calls.test.ts` tests these notifications.',
  },
];

export function isNotApplicable(side: List['side'], scenario: string): boolean {
  return NOT_APPLICABLE.some(
    (entry) => entry.side === side && entry.scenarios.some((pattern) => matches(pattern, scenario)),
  );
}

function matches(pattern: string, scenario: string): boolean {
  return pattern.endsWith('*') ? scenario.startsWith(pattern.slice(0, -1)) : scenario === pattern;
}
