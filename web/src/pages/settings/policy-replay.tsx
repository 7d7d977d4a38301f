import { useState } from 'react';
import type { Replay } from '../../../../src/contract/approval.ts';
import { Fetched, Problem } from '../../parts/states.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useTask } from '../../parts/use-task.ts';
import { client, useApi, useChange } from '../../session/api.ts';
import { readRules } from './read-rules.ts';

const WEEK_MS = 7 * 86_400_000;

/** A policy tried on last week's calls before it is switched on. */
export function PolicyReplay() {
  const config = useApi('getConfig', {});
  return (
    <section className="card stack">
      <h2>Which calls wait for a person</h2>
      <p className="muted">
        The rules of <code>approvals.require</code>: the first that matches decides. For example{' '}
        <code>["destructive", "github:delete_*"]</code>
      </p>
      <Fetched query={config} what="rules">
        {(data) => <Rules inForce={(data.settings.approvals as { require?: unknown }).require} />}
      </Fetched>
    </section>
  );
}

/** Only with the rules in force in hand: an empty field that is put in force would take them all away. */
function Rules({ inForce }: { inForce: unknown }) {
  const update = useChange('updateConfig', ['getConfig', 'status']);
  const [typed, setTyped] = useState<string>();
  const [replay, setReplay] = useState<Replay>();
  const task = useTask();
  const text = typed ?? (inForce === undefined ? '' : JSON.stringify(inForce, null, 2));

  const tryIt = () =>
    task.run(async () => {
      const since = new Date(Date.now() - WEEK_MS).toISOString();
      setReplay(await client.request('replayApprovals', { body: { since, require: readRules(text) } }));
    });

  return (
    <>
      <label className="field">
        <span>Rules, as JSON</span>
        <textarea rows={5} className="mono" value={text} onChange={(event) => setTyped(event.target.value)} />
      </label>
      {task.error !== undefined && <Problem error={task.error} />}
      <div className="row">
        <button type="button" disabled={task.busy} onClick={tryIt}>
          What would this have done last week?
        </button>
        <button
          type="button"
          className="primary"
          disabled={task.busy}
          onClick={() =>
            task.run(() => update.mutateAsync({ body: { approvals: { require: readRules(text) } } }))
          }
        >
          Put it in force
        </button>
      </div>
      {replay && <Outcome replay={replay} />}
    </>
  );
}

function Outcome({ replay }: { replay: Replay }) {
  return (
    <div className="stack" role="status">
      <p>
        Of {replay.calls.toLocaleString('en')} calls it would have let {replay.allow.toLocaleString('en')}{' '}
        pass, held <strong>{replay.ask.toLocaleString('en')}</strong> and refused{' '}
        <strong>{replay.refuse.toLocaleString('en')}</strong>.
        {replay.truncated && ' There were more calls than were looked at.'}
      </p>
      {replay.tools.length > 0 && (
        <div className="table-scroll">
          <table>
            <thead>
              <tr>
                <th>Tool</th>
                <th>Passed</th>
                <th>Held</th>
                <th>Refused</th>
                <th>Because</th>
              </tr>
            </thead>
            <tbody>
              {replay.tools.map(({ tool, allow, ask, refuse, reason }) => (
                <tr key={tool}>
                  <td className="mono">
                    <Line text={tool} max={100} />
                  </td>
                  <td>{allow}</td>
                  <td>{ask}</td>
                  <td>{refuse}</td>
                  <td>
                    <Line text={reason} max={200} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}
