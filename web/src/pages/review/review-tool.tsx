import { useState } from 'react';
import type { JudgedTool, ToolDiff } from '../../../../src/contract/tool.ts';
import { Fetched, Problem } from '../../parts/states.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useTask } from '../../parts/use-task.ts';
import { useApi } from '../../session/api.ts';
import { isRisky } from './consequence.tsx';
import { ReviewDetail } from './review-detail.tsx';
import { decide, refreshTools, type Decision } from './use-review.ts';
import './review.css';

const DONE: Record<Decision, string> = {
  accept: 'is accepted',
  destructive: 'is accepted and counts as destructive',
  reject: 'is rejected; agents cannot use it',
};

export const doneText = (name: string, decision: Decision): string => `${name} ${DONE[decision]}.`;

interface Props {
  tool: JudgedTool;
  onDecided?: (decision: Decision) => void;
}

/** One definition with the buttons to decide about it. */
export function ReviewTool({ tool, onDecided }: Props) {
  const diff = useApi('diffTool', { name: tool.name });
  return (
    <Fetched query={diff} what="what changed">
      {(data) => (
        <>
          <ReviewDetail tool={tool} diff={data} />
          <ReviewButtons tool={tool} diff={data} {...(onDecided && { onDecided })} />
        </>
      )}
    </Fetched>
  );
}

/** What is risky is accepted by a second click on another button, beside the consequence. */
function ReviewButtons({ tool, diff, onDecided }: Props & { diff: ToolDiff }) {
  const { name } = tool;
  const { definition_hash: hash } = diff;
  const task = useTask();
  const [sure, setSure] = useState<string>();
  const run = (decision: Decision) => {
    setSure(undefined);
    task.run(async () => {
      await decide(name, hash, decision).finally(() => void refreshTools());
      showToast(doneText(name, decision));
      onDecided?.(decision);
    });
  };
  const isAsking = sure === hash;
  return (
    <>
      {task.error !== undefined && <Problem error={task.error} />}
      {isAsking && (
        <p className="note note-bad" role="alert">
          {diff.approval.consequence}
        </p>
      )}
      <div className="row review-buttons">
        <button
          type="button"
          className="primary"
          disabled={task.busy}
          onClick={() => (isRisky(tool, diff) && !isAsking ? setSure(hash) : run('accept'))}
        >
          {isAsking ? 'Confirm and accept' : isRisky(tool, diff) ? 'Accept…' : 'Accept'}
        </button>
        {diff.approval.after.operation !== 'destructive' && (
          <button type="button" disabled={task.busy} onClick={() => run('destructive')}>
            Accept as destructive
          </button>
        )}
        <button type="button" className="danger" disabled={task.busy} onClick={() => run('reject')}>
          Reject
        </button>
        {isAsking && (
          <button type="button" className="quiet" onClick={() => setSure(undefined)}>
            Cancel
          </button>
        )}
      </div>
    </>
  );
}
