import { Problem, QueryProblem } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useTask } from '../../parts/use-task.ts';
import { useApi, useChange } from '../../session/api.ts';

/** Active grants: calls that need no approval for a limited time. Each can be revoked. */
export function Grants() {
  const grants = useApi('listGrants', { active: 'true' });
  const revoke = useChange('revokeGrant', ['listGrants']);
  const task = useTask();
  if (!grants.data)
    return grants.error && <QueryProblem error={grants.error} onRetry={() => void grants.refetch()} />;
  if (grants.data.grants.length === 0) return null;
  return (
    <section className="stack">
      <h2>Active grants</h2>
      {task.error !== undefined && <Problem error={task.error} />}
      <div className="table-scroll">
        <table>
          <thead>
            <tr>
              <th>Tool</th>
              <th>Caller</th>
              <th>Expires</th>
              <th>Calls</th>
              <th>
                <span className="sr-only">Revoke</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {grants.data.grants.map((grant) => (
              <tr key={grant.id}>
                <td className="mono">
                  <Line text={`${grant.server}:${grant.tool}`} max={100} />
                </td>
                <td>
                  <Line text={[grant.principal, grant.client].filter(Boolean).join(' · ')} max={100} />
                </td>
                <td>
                  <Time at={grant.expires_at} />
                </td>
                <td>
                  {grant.used}
                  {grant.max_calls !== null && ` of ${grant.max_calls}`}
                </td>
                <td>
                  <button
                    type="button"
                    disabled={task.busy}
                    onClick={() => task.run(() => revoke.mutateAsync({ id: grant.id }))}
                  >
                    Revoke
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
