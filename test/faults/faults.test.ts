import { describe, expect, test } from 'vitest';
import { attempt } from '../attacks/attack.ts';
import { FAULTS } from './all.ts';

/** The rest has tests of its own, is measured rather than asserted, or takes too long; `npm run faults` tries them all. */
const HERE = ['F05', 'F07', 'F09', 'F18', 'F20', 'F21', 'F22', 'F24', 'F25', 'F27', 'F29', 'F30', 'F31'];

describe('faults', () => {
  const chosen = FAULTS.filter(({ threat }) => HERE.includes(threat));
  test.each(chosen.map((fault) => ({ ...fault, fault })))('$threat: $title', async ({ fault }) => {
    const { breaches } = await attempt(fault, 'quick');
    expect(breaches).toEqual([]);
  });
});
