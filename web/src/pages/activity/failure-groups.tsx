import { type FailureGroup, filterText, type ClauseField } from '../../../../src/contract/activity.ts';
import { StatusBadge } from '../../parts/badges.tsx';
import { Claim } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { read } from './filter-url.ts';

interface Props {
  groups: readonly FailureGroup[];
  filter: string;
  onChange: (filter: string) => void;
}

/** Refusals and failures for the same reason, with how often and when. */
export function FailureGroups({ groups, filter, onChange }: Props) {
  if (groups.length === 0) return <Claim>No refusals and no failures among these records.</Claim>;
  return (
    <div className="table-scroll">
      <table>
        <thead>
          <tr>
            <th>Status</th>
            <th>Reason</th>
            <th>Tool</th>
            <th>Agent</th>
            <th className="number">Calls</th>
            <th>Over time</th>
            <th>First</th>
            <th>Last</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group.record}>
              <td>
                <StatusBadge status={group.status} />
              </td>
              <td>
                <button type="button" className="link mono" onClick={() => onChange(narrowed(filter, group))}>
                  <Line text={group.code ?? 'no code'} max={60} />
                </button>
              </td>
              <td className="mono">
                <Line text={group.tool ?? group.server ?? '–'} max={80} />
              </td>
              <td>
                <Line text={group.agent ?? '–'} max={60} />
              </td>
              <td className="number">{group.count.toLocaleString('en')}</td>
              <td>
                <Sparkline points={group.points} />
              </td>
              <td className="muted">
                <Time at={group.first} />
              </td>
              <td className="muted">
                <Time at={group.last} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Sparkline({ points }: { points: readonly number[] }) {
  const highest = Math.max(1, ...points);
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${points.length} 20`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {points.map((n, index) => (
        <rect key={index} x={index} width={0.9} y={20 - (n / highest) * 20} height={(n / highest) * 20} />
      ))}
    </svg>
  );
}

/** The filter for the records of a group. */
function narrowed(filter: string, { status, code, tool, server, agent }: FailureGroup): string {
  const own = { status, code, tool, server: tool === undefined ? server : undefined, agent };
  const fields = Object.entries(own).filter(
    (entry): entry is [ClauseField, string] => entry[1] !== undefined,
  );
  const parsed = read(filter);
  const others = parsed.clauses.filter(({ field }) => !fields.some(([name]) => name === field));
  const clauses = fields.map(([field, value]) => ({ field, values: [value], exclude: false }));
  return filterText({ ...parsed, clauses: [...others, ...clauses] });
}
