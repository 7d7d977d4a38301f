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
    scenarios: ['sep-2640-skills-*'],
    why: 'An extension of the protocol that the proxy does not offer.',
  },
  {
    side: 'server',
    scenarios: ['tasks-status-notifications'],
    why: 'The suite itself skips it: it has no client for this scenario yet. `test/e2e/background-calls.test.ts` tests these notifications.',
  },
  {
    side: 'client',
    scenarios: ['auth/dpop', 'auth/dpop-nonce'],
    why: 'Extensions of the authorization that the proxy does not offer. It uses bearer tokens, from a log-in of a person or from client credentials.',
  },
  {
    side: 'client',
    scenarios: ['sep-2640-client-*'],
    why: 'An extension of the protocol that the proxy does not offer.',
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
