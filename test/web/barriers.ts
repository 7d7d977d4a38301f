import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** Serious barriers on a page. */
export const findings = (page: Page): Promise<string[]> =>
  barriers(page, (impact) => impact === 'serious' || impact === 'critical');

/** Barriers of any severity. */
export const allFindings = (page: Page): Promise<string[]> => barriers(page, () => true);

/**
 * The checker writes down at length what is as it should be, unless it is told that nobody reads it; and there
 * are no frames to join.
 */
async function barriers(page: Page, counts: (impact: unknown) => boolean): Promise<string[]> {
  const checker = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode();
  const { violations } = await checker.analyze();
  return violations
    .filter(({ impact }) => counts(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}
