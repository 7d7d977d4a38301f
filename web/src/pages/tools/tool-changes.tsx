import { useState } from 'react';
import type { JudgedTool, ToolDiff, VerdictStep } from '../../../../src/contract/tool.ts';
import { OperationBadge } from '../../parts/badges.tsx';
import { Fetched, Problem } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { DefinitionDiff } from '../../parts/diff/definition-diff.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useTask } from '../../parts/use-task.ts';
import { useApi, useChange } from '../../session/api.ts';

const SHOWS = ['getTool', 'listTools', 'searchTools', 'diffTool', 'status'] as const;

/** The changes since the tool was accepted, their effect, and the buttons to accept or reject this version. */
export function ToolChanges({ tool }: { tool: JudgedTool }) {
  const diff = useApi('diffTool', { name: tool.name });
  return (
    <section className="stack" aria-label="Change">
      <h3>{titleOf(tool)}</h3>
      {tool.rejected && (
        <p>
          Rejected by <Line text={tool.rejected.by} max={120} /> <Time at={tool.rejected.at} />. Agents cannot
          use it until it changes again.
        </p>
      )}
      <Fetched query={diff} what="changes">
        {(data) => (
          <>
            {data.notes.map((note) => (
              <p key={note}>
                <Line text={note} />
              </p>
            ))}
            {data.changes.length > 0 && <DefinitionDiff changes={data.changes} />}
            <Decide tool={tool} diff={data} />
          </>
        )}
      </Fetched>
    </section>
  );
}

function titleOf({ standing, distrusted }: JudgedTool): string {
  if (distrusted) return 'What was accepted of this tool is not known';
  if (standing === 'new') return 'This tool has not been accepted yet';
  return standing === 'changed'
    ? 'This tool changed since it was accepted'
    : 'This tool is withheld from agents';
}

/** Accepting needs two clicks: the second button is shown beside the consequence. */
function Decide({ tool: { name, rejected }, diff }: { tool: JudgedTool; diff: ToolDiff }) {
  const approve = useChange('approveTool', [...SHOWS]);
  const reject = useChange('rejectTool', [...SHOWS]);
  const setVerdict = useChange('setOperation', [...SHOWS]);
  const task = useTask();
  // The hash of the definition that was shown at the first click: only this version is confirmed.
  const [sure, setSure] = useState<string>();
  const { definition_hash: hash, approval } = diff;
  const canKeep = approval.keeps !== null && approval.keeps !== approval.after.operation;
  /** The verdict first: at no moment may agents call the tool as anything less. */
  async function acceptAsDestructive(): Promise<void> {
    await setVerdict.mutateAsync({ name, body: { operation: 'destructive' } });
    await approve.mutateAsync({ name, hash });
    showToast(`${name} is accepted and counts as destructive.`);
  }
  const run = (work: () => Promise<unknown>) => {
    setSure(undefined);
    task.run(work);
  };
  return (
    <>
      <dl className="facts">
        <dt>Current verdict</dt>
        <dd>{approval.before ? <Step step={approval.before} /> : 'never accepted'}</dd>
        <dt>Verdict if accepted</dt>
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
              Confirm and accept
            </button>
            {canKeep && (
              <button
                type="button"
                disabled={task.busy}
                onClick={() => run(() => approve.mutateAsync({ name, hash, keep_operation: 'true' }))}
              >
                Accept, but keep as {approval.keeps}
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
            Accept this version…
          </button>
          {approval.after.operation !== 'destructive' && (
            <button type="button" disabled={task.busy} onClick={() => run(acceptAsDestructive)}>
              Accept as destructive
            </button>
          )}
          {!rejected && (
            <button
              type="button"
              disabled={task.busy}
              onClick={() => run(() => reject.mutateAsync({ name, hash }))}
            >
              Reject
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
      {operation ? <OperationBadge operation={operation} /> : 'any operation'}, callable with{' '}
      <code>{variants.join(', ')}</code>
    </>
  );
}
