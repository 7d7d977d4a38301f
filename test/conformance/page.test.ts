import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isNotApplicable, NOT_APPLICABLE } from './not-applicable.ts';
import { conformancePage } from './page.ts';
import { LISTS, type List } from './scenarios.ts';
import { runSuite } from './suite.ts';

interface Known {
  side: List['side'];
  name: string;
  revisions: string[];
}

/** `  - tools-list [2025-06-18,2025-11-25]` below a heading that names the side. */
async function scenariosOfSuite(): Promise<Known[]> {
  const { output } = await runSuite(['list']);
  const known: Known[] = [];
  let side: List['side'] | undefined;
  for (const line of output.split('\n')) {
    const heading = /^(\w+).* scenarios/.exec(line)?.[1]?.toLowerCase();
    if (heading !== undefined) side = heading === 'server' || heading === 'client' ? heading : undefined;
    const [, name, revisions] = /^\s+- (\S+) \[(.*)\]/.exec(line) ?? [];
    if (side && name) known.push({ side, name, revisions: revisions!.split(',') });
  }
  return known;
}

const runs = (side: List['side'], revision: string, name: string): boolean =>
  LISTS.some((list) => list.side === side && list.revision === revision && name in list.scenarios);

describe('the lists of scenarios', async () => {
  const known = await scenariosOfSuite();

  test('hold every scenario of the suite, in each of the two revisions that it has', () => {
    expect(known.length).toBeGreaterThan(100);
    const missing = known
      .filter(({ side, name }) => !isNotApplicable(side, name))
      .filter(({ side, name, revisions }) => {
        const wanted = revisions.filter((revision) => LISTS.some((list) => list.revision === revision));
        // Extensions and scenarios of older revisions belong to neither of the two: one list is enough.
        if (wanted.length === 0) return !LISTS.some((list) => list.side === side && name in list.scenarios);
        return !wanted.every((revision) => runs(side, revision, name));
      });
    expect(missing).toEqual([]);
  });

  test('hold no scenario that runs and does not apply, and none that the suite does not have', () => {
    const listed = LISTS.flatMap(({ side, scenarios }) =>
      Object.keys(scenarios).map((name) => ({ side, name })),
    );
    expect(listed.filter(({ side, name }) => isNotApplicable(side, name))).toEqual([]);
    const exists = (side: string, name: string) =>
      known.some((one) => one.side === side && one.name === name);
    expect(listed.filter(({ side, name }) => !exists(side, name))).toEqual([]);
    const unused = NOT_APPLICABLE.flatMap(({ side, scenarios }) =>
      scenarios.map((pattern) => ({ side, pattern })),
    ).filter(
      ({ side, pattern }) =>
        !known.some((one) => one.side === side && one.name.startsWith(pattern.replace(/\*$/, ''))),
    );
    expect(unused).toEqual([]);
  });

  test('are what docs/conformance.md says (else: npm run docs)', () => {
    const page = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8');
    expect(page).toBe(conformancePage());
  });
});
