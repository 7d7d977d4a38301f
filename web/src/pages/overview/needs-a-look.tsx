import { Link } from 'wouter';
import type { ActivityRecord } from '../../../../src/contract/activity.ts';
import { useLive } from '../../live/live.ts';
import { OperationBadge, StatusBadge } from '../../parts/badges.tsx';
import { Fetched, Claim } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { queries, useApi } from '../../session/api.ts';

const SHOWN = 5;

/** Calls that were refused, denied or lost lately: what an operator would want to know of. */
export function NeedsALook() {
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
        <h2>Needs a look</h2>
        <Link href="/activity?status=refused">all refusals</Link>
      </div>
      <Fetched query={{ data, error: refused.error ?? unknown.error, refetch }} what="refusals">
        {(records) => (
          <>
            {records.length === 0 && <Claim>Nothing was refused, and no outcome is unknown.</Claim>}
            <ul className="looks">
              {records.map((record) => (
                <Look key={record.id} record={record} />
              ))}
            </ul>
          </>
        )}
      </Fetched>
    </section>
  );
}

function Look({ record }: { record: ActivityRecord }) {
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
