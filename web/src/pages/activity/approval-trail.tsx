import type { ActivityRecord } from '../../../../src/contract/activity.ts';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useApi } from '../../session/api.ts';

/** Who was asked about the call, what they said and when; or the grant that let it pass. */
export function ApprovalTrail({ record: { metadata } }: { record: ActivityRecord }) {
  const { approval } = metadata as { approval?: { id?: unknown; grant_id?: unknown } };
  const id = typeof approval?.id === 'string' ? approval.id : undefined;
  const detail = useApi('getApproval', { id: id ?? '' }, { enabled: id !== undefined });
  if (!approval) return null;
  const { data } = detail;
  return (
    <section>
      <h3>Approval</h3>
      <dl className="facts">
        {typeof approval.grant_id === 'string' && (
          <>
            <dt>Grant</dt>
            <dd className="mono">{approval.grant_id}</dd>
          </>
        )}
        {data && (
          <>
            <dt>Asked</dt>
            <dd>
              <Time at={data.created_at} /> because of <Line text={data.rule} />
            </dd>
            <dt>Outcome</dt>
            <dd>{data.status}</dd>
            {data.decided_at !== undefined && (
              <>
                <dt>Decided</dt>
                <dd>
                  <Time at={data.decided_at} /> by{' '}
                  <Line text={`${data.decided_by ?? '?'}, ${data.decided_from ?? ''}`} max={100} />
                </dd>
              </>
            )}
            {data.decision_reason !== undefined && (
              <>
                <dt>Reason</dt>
                <dd>
                  <Line text={data.decision_reason} />
                </dd>
              </>
            )}
          </>
        )}
      </dl>
    </section>
  );
}
