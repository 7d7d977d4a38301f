import type { ActivityVerification } from '../../../src/contract/activity.ts';
import { counted } from '../../../src/lib/visible-text.ts';
import { Time } from './time.tsx';
import { Line } from './untrusted.tsx';

const TITLES = {
  intact: 'The log is intact: no record was changed.',
  broken: 'The log is broken: it was changed after it was written.',
  unknown: 'The log could not be verified.',
} as const;

/** The result of a verification of the log. */
export function VerificationResult({ result }: { result: ActivityVerification }) {
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
