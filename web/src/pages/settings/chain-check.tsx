import { useState } from 'react';
import type { ActivityVerification } from '../../../../src/contract/activity.ts';
import { Problem } from '../../parts/states.tsx';
import { useTask } from '../../parts/use-task.ts';
import { VerificationResult } from '../../parts/verification-result.tsx';
import { client } from '../../session/api.ts';

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
      {result && <VerificationResult result={result} />}
    </section>
  );
}
