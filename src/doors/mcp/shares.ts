import { clientOf } from '../../load/index.ts';
import type { Visitor } from './core.ts';

/** How much of something that is limited each client has. */
export function sharesOf(visitors: Iterable<Visitor>): (visitor: Visitor) => number {
  const counts = new Map<string, number>();
  for (const visitor of visitors) counts.set(clientOf(visitor), (counts.get(clientOf(visitor)) ?? 0) + 1);
  return (visitor) => counts.get(clientOf(visitor)) ?? 0;
}
