import { describe, expect, test } from 'vitest';
import { newPostgres } from '../fixtures/engines.ts';
import { ATTACKS } from './all.ts';
import { attempt } from './attack.ts';

/**
 * Tried by tests of their own: every Host and Origin in guard.test.ts, every command and character in cli-control-characters.test.ts,
 * answers without end in stdio-transport.test.ts and http.test.ts, slow bodies and pending calls in lock-out.test.ts.
 */
const ELSEWHERE = ['T10', 'T15', 'T17'];

/** The sizes that a suite has time for; `npm run attacks` tries them in full. */
describe('attacks', () => {
  const chosen = ATTACKS.filter(({ threat }) => !ELSEWHERE.includes(threat));
  test.each(chosen.map((attack) => ({ ...attack, attack })))('$threat: $title', async ({ attack }) => {
    const { tried, breaches } = await attempt(attack, 'quick', newPostgres);
    expect(breaches).toEqual([]);
    expect(tried).toBeGreaterThan(0);
  });
});
