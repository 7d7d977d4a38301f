import { Link } from 'wouter';
import type { Approval } from '../../../../src/contract/approval.ts';
import { OperationBadge, StatusBadge } from '../../parts/badges.tsx';
import { Fetched, Claim } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { usePending } from '../approvals/use-pending.ts';
import type { ActivityRecord } from '../../../../src/contract/activity.ts';
import { useLive } from '../../live/live.ts';
import { queries, useApi } from '../../session/api.ts';

/** The calls that are waiting for approval. */
export function PendingApprovals() {
  const pending = usePending();
  return (
    <section className="card stack">
      <div className="row row-apart">
        <h2>Pending approvals</h2>
        <Link href="/approvals">All approvals</Link>
      </div>
      <Fetched query={pending} what="pending approvals">
        {({ approvals }) => (
          <>
            {approvals.length === 0 && <Claim>No calls are waiting for approval.</Claim>}
            <ul className="looks">
              {approvals.slice(0, 5).map((approval) => (
                <PendingItem key={approval.id} approval={approval} />
              ))}
            </ul>
          </>
        )}
      </Fetched>
    </section>
  );
}

function PendingItem({ approval: { operation, server, tool, expires_at } }: { approval: Approval }) {
  return (
    <li>
      <div className="row">
        <OperationBadge operation={operation} />
        <Link href="/approvals" className="mono">
          <Line text={`${server}:${tool}`} max={80} />
        </Link>
        <span className="muted">
          expires <Time at={expires_at} />
        </span>
      </div>
    </li>
  );
}

const SHOWN = 5;

/** Recent calls that were refused or whose outcome is unknown. */
export function NeedsAttention() {
  const refused = useApi('listActivity', { status: 'refused', limit: SHOWN });
  const unknown = useApi('listActivity', { status: 'unknown', limit: SHOWN });
  useLive('activity', (data) => {
    const { status } = data as { status?: string };
    if (status === 'refused' || status === 'unknown')
      void queries.invalidateQueries({ queryKey: ['listActivity', { status, limit: SHOWN }] });
  });
  const data =
    unknown.data && refused.data
      ? [...unknown.data.records, ...refused.data.records]
          .sort((a, b) => (a.id < b.id ? 1 : -1))
          .slice(0, SHOWN)
      : undefined;
  const refetch = () => [refused.refetch(), unknown.refetch()];
  return (
    <section className="card stack">
      <div className="row row-apart">
        <h2>Needs attention</h2>
        <Link href="/activity?status=refused">All refused calls</Link>
      </div>
      <Fetched query={{ data, error: refused.error ?? unknown.error, refetch }} what="refused calls">
        {(records) => (
          <>
            {records.length === 0 && <Claim>No refused calls and no unknown outcomes.</Claim>}
            <ul className="looks">
              {records.map((record) => (
                <AttentionItem key={record.id} record={record} />
              ))}
            </ul>
          </>
        )}
      </Fetched>
    </section>
  );
}

function AttentionItem({ record }: { record: ActivityRecord }) {
  const name = [record.server_name, record.tool_name].filter(Boolean).join(':') || record.type;
  return (
    <li>
      <div className="row">
        <StatusBadge status={record.status} />
        <OperationBadge operation={record.operation_type} />
        <Link href={`/activity?record=${record.id}`} className="mono">
          <Line text={name} max={80} />
        </Link>
        <span className="muted">
          <Time at={record.timestamp} />
        </span>
      </div>
      {record.error_message !== undefined && (
        <p className="muted">
          <Line text={record.error_message} max={200} />
        </p>
      )}
    </li>
  );
}
