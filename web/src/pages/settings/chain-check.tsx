import { useState } from 'react';
import type { ActivityVerification } from '../../../../src/contract/activity.ts';
import { Problem } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useTask } from '../../parts/use-task.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { client } from '../../session/api.ts';

const TITLES = {
  intact: 'The log is intact: no record was changed.',
  broken: 'The log is broken: it was changed after it was written.',
  unknown: 'The log could not be verified.',
} as const;

/** Verifies the hash chain of the log and explains the result. */
export function ChainCheck() {
  const [result, setResult] = useState<ActivityVerification>();
  const task = useTask();
  return (
    <section className="card stack">
      <h2>Log integrity</h2>
      <p className="muted">Checks every record against the hash chain and the signed checkpoints.</p>
      <div className="row">
        <button
          type="button"
          disabled={task.busy}
          onClick={() => task.run(async () => setResult(await client.request('verifyActivity', {})))}
        >
          {task.busy ? 'Verifying…' : 'Verify the log'}
        </button>
      </div>
      {task.error !== undefined && <Problem error={task.error} />}
      {result && <Result result={result} />}
    </section>
  );
}

function Result({ result }: { result: ActivityVerification }) {
  const { verdict, entries, records, checkpoint, unsigned_entries: unsigned, problem, why } = result;
  return (
    <div className={verdict === 'intact' ? 'note' : 'note note-bad'} role="status">
      <p>
        <strong>{TITLES[verdict]}</strong>
      </p>
      <p>
        Checked {counted(entries, 'entry', 'entries')} that cover {counted(records, 'record')}.{' '}
        {checkpoint ? (
          <>
            Last signed <Time at={checkpoint.time} />, {counted(unsigned, 'entry', 'entries')} since then.
          </>
        ) : (
          'No checkpoint is signed yet.'
        )}
      </p>
      {problem && (
        <p>
          First bad entry: {problem.entry} ({problem.reason}). <Line text={problem.message} />
        </p>
      )}
      {why !== undefined && <p>{why}</p>}
      {verdict === 'intact' && <p>{result.proves}</p>}
      <p className="muted">{result.does_not_prove}</p>
    </div>
  );
}
