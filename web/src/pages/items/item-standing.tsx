import type { PromptView, ResourceView } from '../../../../src/contract/item.ts';

/** Whether agents can use a prompt or resource. */
export function ItemStanding({
  item,
}: {
  item: Pick<PromptView | ResourceView, 'standing' | 'withheld' | 'enabled'>;
}) {
  if (!item.enabled) return <span className="badge">disabled</span>;
  if (item.withheld) return <span className="badge tone-bad">{item.standing}, withheld</span>;
  if (item.standing === 'accepted') return <span className="badge tone-good">accepted</span>;
  return <span className="badge tone-wait">{item.standing}</span>;
}
