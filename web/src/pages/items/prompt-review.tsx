import type { PromptView } from '../../../../src/contract/item.ts';
import { Problem } from '../../parts/states.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useTask } from '../../parts/use-task.ts';
import { useChange } from '../../session/api.ts';

/** A new or changed prompt: accept exactly the version that is shown, or reject it. */
export function PromptReview({ prompt: { name, standing, definition_hash: hash } }: { prompt: PromptView }) {
  const accept = useChange('approvePrompt', ['listPrompts', 'status']);
  const reject = useChange('rejectPrompt', ['listPrompts', 'status']);
  const task = useTask();
  const decide = (how: typeof accept | typeof reject, done: string) =>
    task.run(async () => {
      await how.mutateAsync({ name, hash });
      showToast(`${name} is ${done}.`);
    });
  return (
    <section className="stack" aria-label="Review">
      <p className="note note-warn">
        This prompt is {standing}. Its text and arguments below are what agents get after you accept it.
      </p>
      <div className="row">
        <button type="button" disabled={task.busy} onClick={() => decide(accept, 'accepted')}>
          Accept this version
        </button>
        <button type="button" disabled={task.busy} onClick={() => decide(reject, 'rejected')}>
          Reject
        </button>
      </div>
      {task.error !== undefined && <Problem error={task.error} />}
    </section>
  );
}
