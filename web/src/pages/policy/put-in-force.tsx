import { useState } from 'react';
import type { Replay } from '../../../../src/contract/approval.ts';
import type { PolicyRules } from '../../../../src/contract/approval-policy.ts';
import { Problem } from '../../parts/states.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useTask } from '../../parts/use-task.ts';
import { client, queries, useChange } from '../../session/api.ts';
import { changeText } from './effect.tsx';
import { checkRules } from './read-rules.ts';

const SHOWS = ['getConfig', 'status'] as const;

interface Props {
  inForce: PolicyRules;
  rules: PolicyRules;
  isChanged: boolean;
  replays: { now: Replay | undefined; next: Replay | undefined };
  onDone: () => void;
}

/** Two steps: the second button stands beside what the rules would have done. Undo puts back those from before. */
export function PutInForce({ inForce, rules, isChanged, replays, onDone }: Props) {
  const update = useChange('updateConfig', [...SHOWS]);
  const task = useTask();
  // The rules that were shown at the first click: others are not put in force.
  const [sure, setSure] = useState<string>();
  const text = JSON.stringify(rules);
  const isAsking = isChanged && sure === text;

  const store = () =>
    task.run(async () => {
      setSure(undefined);
      await update.mutateAsync({ body: { approvals: { require: checkRules(rules) } } });
      showToast('The rules are in force.', () => putBack(text, inForce));
      onDone();
    });

  return (
    <>
      {task.error !== undefined && <Problem error={task.error} />}
      {isAsking && (
        <div className="note note-warn" role="alert">
          <p>
            <strong>Every call from now on is decided by these rules.</strong>
          </p>
          <p>{changeText(replays.now, replays.next)}</p>
        </div>
      )}
      <div className="row">
        {isAsking ? (
          <button type="button" className="primary" disabled={task.busy} onClick={store}>
            Confirm: put in force
          </button>
        ) : (
          <button
            type="button"
            className="primary"
            disabled={task.busy || !isChanged}
            onClick={() =>
              task.run(async () => {
                checkRules(rules);
                setSure(text);
              })
            }
          >
            Put in force…
          </button>
        )}
        {isAsking && (
          <button type="button" className="quiet" onClick={() => setSure(undefined)}>
            Cancel
          </button>
        )}
        {isChanged && !isAsking && (
          <button type="button" className="quiet" onClick={onDone}>
            Discard changes
          </button>
        )}
      </div>
    </>
  );
}

/** Only where nobody has changed the rules meanwhile. */
async function putBack(stored: string, before: PolicyRules): Promise<void> {
  const { settings } = await client.request('getConfig', {});
  const current = (settings.approvals as { require?: PolicyRules }).require ?? [];
  if (JSON.stringify(current) !== stored) throw new Error('the rules were changed meanwhile.');
  await client.request('updateConfig', { body: { approvals: { require: before } } });
  await Promise.all(SHOWS.map((route) => queries.invalidateQueries({ queryKey: [route] })));
}
