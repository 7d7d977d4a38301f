/** How many calls wait for a decision. */
export function PendingBadge() {
  return null;
}
