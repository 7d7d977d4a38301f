import { useState } from 'react';
import type { JudgedTool, ToolDiff, VerdictStep } from '../../../../src/contract/tool.ts';
import { OperationBadge } from '../../parts/badges.tsx';
import { Fetched, Problem } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line, Paragraph } from '../../parts/untrusted.tsx';
import { useTask } from '../../parts/use-task.ts';
import { useApi, useChange } from '../../session/api.ts';

const SHOWS = ['getTool', 'listTools', 'searchTools', 'diffTool', 'status'] as const;

/** How the tool differs from what was accepted, what follows from accepting it, and the ways to decide about exactly this. */
export function ToolChanges({ tool }: { tool: JudgedTool }) {
  const diff = useApi('diffTool', { name: tool.name });
  return (
    <section className="stack" aria-label="Change">
      <h3>{titleOf(tool)}</h3>
      {tool.rejected && (
        <p>
          Rejected by <Line text={tool.rejected.by} max={120} /> <Time at={tool.rejected.at} />. Agents do not
          get it until it changes again.
        </p>
      )}
      <Fetched query={diff} what="what changed">
        {(data) => (
          <>
            {data.notes.map((note) => (
              <p key={note}>
                <Line text={note} />
              </p>
            ))}
            {data.changes.length > 0 && <Fields changes={data.changes} />}
            <Decide tool={tool} diff={data} />
          </>
        )}
      </Fetched>
    </section>
  );
}

function titleOf({ standing }: JudgedTool): string {
  if (standing === 'new') return 'Nobody has accepted this tool yet';
  return standing === 'changed' ? 'It changed since it was accepted' : 'It is withheld';
}

function Fields({ changes }: Pick<ToolDiff, 'changes'>) {
  return (
    <div className="table-scroll">
      <table>
        <thead>
          <tr>
            <th>Where</th>
            <th>Before</th>
            <th>Now</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ path, before, after }) => (
            <tr key={path}>
              <td className="mono">
                <Line text={path} />
              </td>
              <td>{before === undefined ? '–' : <Paragraph text={before} max={1000} />}</td>
              <td>{after === undefined ? '–' : <Paragraph text={after} max={1000} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A decision needs two clicks: the second one stands beside what follows from it. */
function Decide({ tool: { name, rejected }, diff }: { tool: JudgedTool; diff: ToolDiff }) {
  const approve = useChange('approveTool', [...SHOWS]);
  const reject = useChange('rejectTool', [...SHOWS]);
  const task = useTask();
  // What is confirmed is bound to what was shown when the first button was pressed.
  const [sure, setSure] = useState<string>();
  const { definition_hash: hash, approval } = diff;
  const canKeep = approval.keeps !== null && approval.keeps !== approval.after.operation;
  const run = (work: () => Promise<unknown>) => {
    setSure(undefined);
    task.run(work);
  };
  return (
    <>
      <dl className="facts">
        <dt>Verdict before</dt>
        <dd>{approval.before ? <Step step={approval.before} /> : 'never accepted'}</dd>
        <dt>Verdict after</dt>
        <dd>
          <Step step={approval.after} />
        </dd>
      </dl>
      {task.error !== undefined && <Problem error={task.error} />}
      {sure === hash ? (
        <div className="note note-bad stack" role="alert">
          <p>{approval.consequence}</p>
          <div className="row">
            <button
              type="button"
              className="primary"
              disabled={task.busy}
              onClick={() => run(() => approve.mutateAsync({ name, hash }))}
            >
              Yes, accept it
            </button>
            {canKeep && (
              <button
                type="button"
                disabled={task.busy}
                onClick={() => run(() => approve.mutateAsync({ name, hash, keep_operation: 'true' }))}
              >
                Accept, but keep it {approval.keeps}
              </button>
            )}
            <button type="button" className="quiet" onClick={() => setSure(undefined)}>
              Cancel
            </button>
          </div>
        </div>
      ) : (
        <div className="row">
          <button type="button" className="primary" disabled={task.busy} onClick={() => setSure(hash)}>
            Accept it as it is now…
          </button>
          {!rejected && (
            <button
              type="button"
              disabled={task.busy}
              onClick={() => run(() => reject.mutateAsync({ name, hash }))}
            >
              Reject it
            </button>
          )}
        </div>
      )}
    </>
  );
}

function Step({ step: { operation, variants } }: { step: VerdictStep }) {
  return (
    <>
      {operation ? <OperationBadge operation={operation} /> : 'any operation'}, agents may use{' '}
      <code>{variants.join(', ')}</code>
    </>
  );
}
