import type { ActivityType } from '../../contract/activity.ts';
import type { OperationType } from '../../contract/operation.ts';
import type { SealedFacet } from '../chain/seal.ts';

type Kind = Pick<SealedFacet, 'type' | 'source' | 'operation_type'>;

/**
 * A decision is not the deed. Earlier versions wrote what a person decided about a held call as type `approval`, with the operation of that
 * call, so that an approval looked like a successful destructive call. What the chain covers is never changed: such records are read as
 * what they are. Since then a record about an approval has no operation of its own.
 */
const isEarlierDecision = ({ type, source, operation_type: operation }: Kind) =>
  type === 'approval' && operation !== null && source !== 'system';

export const shownType = (kind: Kind): ActivityType => (isEarlierDecision(kind) ? 'decision' : kind.type);

export const shownOperation = (kind: Pick<Kind, 'type' | 'operation_type'>): OperationType | null =>
  hasOperation(kind.type) ? kind.operation_type : null;

/** Approvals and decisions are about a call; the call itself has a record of its own. */
export const hasOperation = (type: ActivityType): boolean => type !== 'approval' && type !== 'decision';

/** What a person decided about a call, which names its tool; what the assistant made of a message names none. */
export const isHeldCallDecision = (
  facet: Kind & Pick<SealedFacet, 'server_name' | 'tool_name' | 'unlisted'>,
) =>
  shownType(facet) === 'decision' &&
  (facet.unlisted || facet.server_name !== null || facet.tool_name !== null);

/** The same in SQL, of a facet `f`. `value` is the parameter of the type. */
const EARLIER_DECISION = `(f.type = 'approval' AND f.operation_type IS NOT NULL AND f.source <> 'system')`;

export function typeCondition(type: ActivityType, value: string): string {
  if (type === 'decision') return `(f.type = ${value} OR ${EARLIER_DECISION})`;
  return type === 'approval' ? `(f.type = ${value} AND NOT ${EARLIER_DECISION})` : `f.type = ${value}`;
}

export const operationCondition = (value: string): string =>
  `(f.operation_type = ${value} AND f.type NOT IN ('approval', 'decision'))`;
