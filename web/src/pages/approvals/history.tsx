import { Link } from 'wouter';
import type { ApprovalDetail } from '../../../../src/contract/approval.ts';
import { filterText } from '../../../../src/contract/activity.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { StatusBadge } from '../../parts/badges.tsx';
import { Claim, Fetched } from '../../parts/states.tsx';
import { useApi } from '../../session/api.ts';

const DAYS = 30;

/** What became of the calls of this tool by this caller, so that a habit can be told from an exception. */
export function History({ approval: { server, tool, principal } }: { approval: ApprovalDetail }) {
  const clause = (field: 'server' | 'tool' | 'agent' | 'type', value: string) => ({
    field,
    values: [value],
    exclude: false,
  });
  const filter = filterText({
    clauses: [
      clause('type', 'tool_call'),
      clause('server', server),
      clause('tool', tool),
      clause('agent', principal),
    ],
    words: [],
    since: `${DAYS}d`,
  });
  const calls = useApi('activityBreakdown', { filter, buckets: 1 });
  return (
    <Fetched query={calls} what="earlier calls">
      {({ fields: { status }, complete }) => {
        // The pending call itself is among them.
        const earlier = status.filter(({ value }) => value !== 'pending');
        const n = earlier.reduce((sum, { count }) => sum + count, 0);
        return earlier.length === 0 ? (
          <Claim>This caller has not called this tool in the last {DAYS} days.</Claim>
        ) : (
          <p className="row">
            <Link href={`/activity?${new URLSearchParams({ filter })}`}>
              {complete ? '' : 'Of the newest '}
              {counted(n, 'earlier call')} of this tool by this caller in {DAYS} days
            </Link>
            {earlier.map(({ value, count }) => (
              <span key={value}>
                <StatusBadge status={value as 'success'} /> {count.toLocaleString('en')}
              </span>
            ))}
          </p>
        );
      }}
    </Fetched>
  );
}
