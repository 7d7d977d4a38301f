import { useQueries } from '@tanstack/react-query';
import { useImperativeHandle, useState, type Ref } from 'react';
import type { JudgedTool, ToolDiff } from '../../../../src/contract/tool.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { Fetched, Problem } from '../../parts/states.tsx';
import { showProblem, showToast } from '../../parts/toasts.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useTask } from '../../parts/use-task.ts';
import { client, useApi } from '../../session/api.ts';
import { Consequence, isRisky } from './consequence.tsx';
import { ReviewDetail } from './review-detail.tsx';
import { doneText } from './review-tool.tsx';
import { decide, refreshTools, type Decision } from './use-review.ts';

export interface BarHandle {
  /** Decides, or shows what follows and waits for the same once more. */
  ask: (decision: Decision) => void;
  cancel: () => void;
}

interface Props {
  ref: Ref<BarHandle>;
  tool: JudgedTool;
  place: string;
  /** Where there are any, the decision is about all of them. */
  chosen: readonly JudgedTool[];
  onDecided: (names: string[]) => void;
  onStep: (step: 1 | -1) => void;
}

const VERBS: Record<Decision, string> = {
  accept: 'Accept',
  destructive: 'Accept as destructive',
  reject: 'Reject',
};
const DECIDED: Record<Decision, string> = {
  accept: 'are accepted',
  destructive: 'are accepted and count as destructive',
  reject: 'are rejected; agents cannot use them',
};
const KEYS: Record<Decision, string> = { accept: 'a', destructive: 'd', reject: 'r' };

interface Reviewed {
  tool: JudgedTool;
  diff: ToolDiff;
}

/** The open definition, or all selected ones, with what follows from a decision. */
export function ReviewBar({ ref, tool, place, chosen, onDecided, onStep }: Props) {
  const isBulk = chosen.length > 0;
  const own = useApi('diffTool', { name: tool.name });
  const task = useTask();
  const [asked, setAsked] = useState<Decision>();
  const { reviewed, isLoading } = useReviewed(isBulk ? chosen : [tool]);

  function run(decision: Decision): void {
    setAsked(undefined);
    task.run(async () => {
      const done = await decideAll(reviewed, decision);
      if (done.length > 0) onDecided(done);
    });
  }
  function ask(decision: Decision): void {
    if (task.busy || isLoading) return;
    const needsCare = decision === 'accept' && reviewed.some((each) => isRisky(each.tool, each.diff));
    if (asked === decision || !(isBulk || needsCare)) run(decision);
    else setAsked(decision);
  }
  const cancel = () => setAsked(undefined);
  useImperativeHandle(ref, () => ({ ask, cancel }));

  return (
    <section className="card stack review-one" aria-label="Decision">
      <div className="row row-apart">
        <h2 className="mono">
          {isBulk ? `${counted(chosen.length, 'tool')} selected` : <Line text={tool.name} />}
        </h2>
        <div className="row">
          <button type="button" className="quiet" onClick={() => onStep(-1)} aria-keyshortcuts="ArrowLeft">
            ← Previous
          </button>
          <span className="muted">{place}</span>
          <button type="button" className="quiet" onClick={() => onStep(1)} aria-keyshortcuts="ArrowRight">
            Next →
          </button>
        </div>
      </div>
      {isBulk ? (
        <Bulk reviewed={reviewed} total={chosen.length} />
      ) : (
        <Fetched query={own} what="what changed">
          {(diff) => <ReviewDetail tool={tool} diff={diff} />}
        </Fetched>
      )}
      {task.error !== undefined && <Problem error={task.error} />}
      {asked !== undefined && <Confirm decision={asked} reviewed={reviewed} />}
      <div className="row review-buttons">
        {(Object.keys(VERBS) as Decision[]).map((decision) => (
          <button
            key={decision}
            type="button"
            className={decision === 'accept' ? 'primary' : decision === 'reject' ? 'danger' : undefined}
            aria-keyshortcuts={KEYS[decision]}
            disabled={task.busy || isLoading}
            onClick={() => ask(decision)}
          >
            {asked === decision ? `Confirm: ${VERBS[decision].toLowerCase()}` : VERBS[decision]}{' '}
            <kbd aria-hidden="true">{KEYS[decision]}</kbd>
          </button>
        ))}
        {asked !== undefined && (
          <button type="button" className="quiet" onClick={cancel}>
            Cancel
          </button>
        )}
        <span className="muted review-keys">
          <kbd>x</kbd> selects, <kbd>→</kbd> is next
        </span>
      </div>
    </section>
  );
}

function useReviewed(tools: readonly JudgedTool[]): { reviewed: Reviewed[]; isLoading: boolean } {
  const answers = useQueries({
    queries: tools.map(({ name }) => ({
      queryKey: ['diffTool', { name }],
      queryFn: ({ signal }: { signal: AbortSignal }) => client.request('diffTool', { name }, signal),
    })),
  });
  const reviewed = tools.flatMap((tool, index) => {
    const diff = answers[index]?.data;
    return diff ? [{ tool, diff }] : [];
  });
  return { reviewed, isLoading: reviewed.length < tools.length };
}

/** One after the other, so that a problem with one says which, and leaves the others decided. */
async function decideAll(reviewed: readonly Reviewed[], decision: Decision): Promise<string[]> {
  const done: string[] = [];
  try {
    for (const { tool, diff } of reviewed) {
      if (await hasDecided(tool.name, diff.definition_hash, decision)) done.push(tool.name);
    }
  } finally {
    await refreshTools();
  }
  if (done.length === 1) showToast(doneText(done[0]!, decision));
  if (done.length > 1) showToast(`${counted(done.length, 'tool')} ${DECIDED[decision]}.`);
  return done;
}

async function hasDecided(name: string, hash: string, decision: Decision): Promise<boolean> {
  try {
    await decide(name, hash, decision);
    return true;
  } catch (error) {
    showProblem(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

/** What follows for all selected tools together. */
function Bulk({ reviewed, total }: { reviewed: readonly Reviewed[]; total: number }) {
  return (
    <>
      {reviewed.length < total && <p className="muted">Loading what changed…</p>}
      <ul className="review-bulk">
        {reviewed.map(({ tool, diff }) => (
          <li key={tool.name}>
            <strong className="mono">
              <Line text={tool.name} max={80} />
            </strong>
            <Consequence diff={diff} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Confirm({ decision, reviewed }: { decision: Decision; reviewed: readonly Reviewed[] }) {
  const risky = reviewed.filter(({ tool, diff }) => isRisky(tool, diff));
  return (
    <div className="note note-bad" role="alert">
      {decision === 'accept' && reviewed.length === 1 ? (
        <p>
          <Line text={reviewed[0]!.diff.approval.consequence} max={1000} />
        </p>
      ) : (
        <p>
          {VERBS[decision]} {counted(reviewed.length, 'tool')}?
          {decision === 'accept' &&
            risky.length > 0 &&
            ` With ${counted(risky.length, 'of them', 'of them')} agents may do more than before, or more than the text suggests.`}
        </p>
      )}
      <p>
        Press <kbd>{KEYS[decision]}</kbd> again, or the button.
      </p>
    </div>
  );
}
