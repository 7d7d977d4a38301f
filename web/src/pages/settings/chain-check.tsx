import { useState } from 'react';
import type { ActivityVerification } from '../../../../src/contract/activity.ts';
import { Problem } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useTask } from '../../parts/use-task.ts';
import { client } from '../../session/api.ts';

const TITLES = {
  intact: 'The log is whole: nothing in it was changed.',
  broken: 'The log was changed.',
  unknown: 'It cannot be told whether the log is whole.',
} as const;

/** Whether anybody has changed the log, in plain words. */
export function ChainCheck() {
  const [result, setResult] = useState<ActivityVerification>();
  const task = useTask();
  return (
    <section className="card stack">
      <h2>Is the log as it was written?</h2>
      <p className="muted">Every record is checked against the chain of hashes and the signed checkpoints.</p>
      <div className="row">
        <button
          type="button"
          disabled={task.busy}
          onClick={() => task.run(async () => setResult(await client.request('verifyActivity', {})))}
        >
          {task.busy ? 'Checking …' : 'Check now'}
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
        {entries.toLocaleString('en')} entries were checked; they vouch for {records.toLocaleString('en')}{' '}
        records.{' '}
        {checkpoint ? (
          <>
            The last signature is from <Time at={checkpoint.time} />; {unsigned} entries came after it.
          </>
        ) : (
          'Nothing is signed yet.'
        )}
      </p>
      {problem && (
        <p>
          First wrong entry: {problem.entry} ({problem.reason}). <Line text={problem.message} />
        </p>
      )}
      {why !== undefined && <p>{why}</p>}
      {verdict === 'intact' && <p>{result.proves}</p>}
      <p className="muted">{result.does_not_prove}</p>
    </div>
  );
}
