import type { ActivityStatus } from '../../../src/contract/activity.ts';
import type { OperationType } from '../../../src/contract/operation.ts';
import { Icon, type IconName } from './icon.tsx';

const OPERATIONS: Record<OperationType, { icon: IconName; title: string }> = {
  read: { icon: 'eye', title: 'reads, changes nothing' },
  write: { icon: 'pen', title: 'changes something' },
  destructive: { icon: 'bolt', title: 'may destroy something' },
};

/** Word, icon and colour, so that none of them has to be seen. */
export function OperationBadge({ operation }: { operation: OperationType | null | undefined }) {
  if (!operation) return <span className="badge">–</span>;
  const { icon, title } = OPERATIONS[operation];
  return (
    <span className={`badge badge-${operation}`} title={title}>
      <Icon name={icon} />
      {operation}
    </span>
  );
}

const TONES: Record<ActivityStatus, 'good' | 'bad' | 'wait' | 'plain'> = {
  success: 'good',
  error: 'bad',
  refused: 'bad',
  denied: 'bad',
  expired: 'plain',
  pending: 'wait',
  unknown: 'wait',
};

export function StatusBadge({ status }: { status: ActivityStatus }) {
  return <span className={`badge tone-${TONES[status]}`}>{status}</span>;
}
