import { useState } from 'react';
import type { ConfigChange, ConfigState } from '../../../../src/contract/status.ts';
import { exactJson } from '../../../../src/json/index.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { Problem } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useTask } from '../../parts/use-task.ts';
import { Line } from '../../parts/untrusted.tsx';
import { useChange } from '../../session/api.ts';

/** Edits of the configuration file that weakened it, or wait for a confirmation. */
export function ConfigReview({ state }: { state: ConfigState }) {
  const { waiting, weakened, more } = state;
  const changes = waiting?.changes ?? weakened;
  if (changes.length === 0) return null;
  return (
    <section className="note note-bad stack" role="alert" aria-label="Configuration to review">
      {waiting ? (
        <p>
          An edit of the configuration file waits for your confirmation since <Time at={waiting.since} />. The
          previous configuration stays active.
        </p>
      ) : (
        <p>
          Edits of the configuration file weakened {counted(weakened.length + more, 'setting')}. Undo them, or
          confirm them.
        </p>
      )}
      <ul>
        {changes.map((change, i) => (
          <li key={`${change.path} ${i}`}>
            <Change change={change} />
          </li>
        ))}
      </ul>
      {!waiting && more > 0 && <p>and {more} more</p>}
      <Accept digest={waiting?.digest ?? state.digest} />
    </section>
  );
}

function Change({ change: { path, before, after, effect } }: { change: ConfigChange }) {
  return (
    <>
      <code>
        <Line text={path} max={200} />
      </code>{' '}
      ({effect}): <Value value={before} /> → <Value value={after} />
    </>
  );
}

function Value({ value }: { value: unknown }) {
  if (value === undefined) return <span className="muted">absent or secret</span>;
  return <Line text={exactJson(value) ?? ''} max={200} />;
}

/** Two clicks. The digest of the first one is confirmed: a configuration that has changed meanwhile is shown again. */
function Accept({ digest }: { digest: string }) {
  const accept = useChange('acceptConfig', [
    'status',
    'getConfig',
    'listServers',
    'listTools',
    'listActivity',
  ]);
  const task = useTask();
  const [sure, setSure] = useState<string>();
  return (
    <>
      {task.error !== undefined && <Problem error={task.error} />}
      <div className="row">
        {sure === digest ? (
          <>
            <button
              type="button"
              className="primary"
              disabled={task.busy}
              onClick={() => {
                setSure(undefined);
                task.run(() => accept.mutateAsync({ body: { digest } }));
              }}
            >
              Confirm these changes
            </button>
            <button type="button" className="quiet" onClick={() => setSure(undefined)}>
              Cancel
            </button>
          </>
        ) : (
          <button type="button" disabled={task.busy} onClick={() => setSure(digest)}>
            Accept…
          </button>
        )}
      </div>
    </>
  );
}
