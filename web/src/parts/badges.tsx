import type { ActivityStatus } from '../../../src/contract/activity.ts';
import type { OperationType } from '../../../src/contract/operation.ts';
import { Icon, type IconName } from './icon.tsx';

const OPERATIONS: Record<OperationType, { icon: IconName; title: string }> = {
  read: { icon: 'eye', title: 'Reads data, changes nothing' },
  write: { icon: 'pen', title: 'Creates or changes data' },
  destructive: { icon: 'bolt', title: 'Deletes data or cannot be undone' },
};

/** Word, icon and color: each alone is enough to tell the operations apart. */
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
