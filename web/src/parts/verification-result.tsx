import { Link } from 'wouter';
import {
  entriesText,
  gapText,
  type AcceptedGap,
  type ActivityVerification,
} from '../../../src/contract/activity.ts';
import { counted } from '../../../src/lib/visible-text.ts';
import { ExactTime } from './time.tsx';
import { Line } from './untrusted.tsx';

const TITLES = {
  intact: 'The log is intact: no record was changed.',
  broken: 'The log is broken: it was changed after it was written.',
  unknown: 'The log could not be verified.',
} as const;

export function AcceptedGapLine({ gap }: { gap: AcceptedGap }) {
  return (
    <>
      {gapText(gap)} when the restore was accepted <ExactTime at={gap.at} /> by <Line text={gap.by} /> (record{' '}
      <Link href={`/activity?record=${gap.record}`}>{gap.record.slice(0, 12)}</Link>)
    </>
  );
}

/** The result of a verification of the log. */
export function VerificationResult({ result }: { result: ActivityVerification }) {
  const {
    verdict,
    entries,
    records,
    checkpoint,
    unsigned_entries: unsigned,
    problem,
    why,
    restored,
  } = result;
  return (
    <div className={verdict === 'intact' && restored.length === 0 ? 'note' : 'note note-bad'} role="status">
      <p>
        <strong>{TITLES[verdict]}</strong>
      </p>
      {restored.map((gap) => (
        <p key={gap.record}>
          <strong>
            The log lacks <AcceptedGapLine gap={gap} />.
          </strong>
        </p>
      ))}
      <p>
        Checked {counted(records, 'record')}. Entries: {entriesText(result)}.{' '}
        {checkpoint ? (
          <>
            {unsigned === 0
              ? 'All entries are signed'
              : `${entries - unsigned} entries are signed, the last ${unsigned} not yet`}
            ; last checkpoint <ExactTime at={checkpoint.time} />.
          </>
        ) : (
          'No checkpoint is signed yet.'
        )}
      </p>
      {result.counts === 'differ' && (
        <p>
          <strong>The stored counts are not those of the records:</strong> the records are not affected, but
          summaries, totals and charts show wrong numbers.
        </p>
      )}
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
