import type { SharedConfigState } from '../../../../src/contract/status.ts';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';

/** The configuration of several proxies on one database: its revision, and where this proxy or another one has other settings. */
export function SharedConfig({ state }: { state: SharedConfigState }) {
  const { source, revision, at, problem, ineffective, replicas } = state;
  const drifted = replicas.filter(({ differs }) => differs.length > 0);
  return (
    <section aria-label="Shared configuration">
      {source === 'database' && (
        <p className="muted">
          Configuration revision {revision}
          {at !== undefined && (
            <>
              {' '}
              of <Time at={at} />
            </>
          )}
        </p>
      )}
      {problem !== undefined && (
        <p className="note note-bad" role="alert">
          This proxy may not have the newest configuration, so changes are refused:{' '}
          <Line text={problem} max={1000} />
        </p>
      )}
      {ineffective.length > 0 && (
        <p className="note note-bad">
          Settings of the file have no effect, because the database has others:{' '}
          <Line text={ineffective.join(', ')} max={1000} />
        </p>
      )}
      {drifted.map(({ proxy, listen, differs }) => (
        <p key={proxy} className="note note-bad">
          The proxy <Line text={listen ?? proxy} max={200} /> has other settings:{' '}
          <Line text={differs.join(', ')} max={1000} />
        </p>
      ))}
    </section>
  );
}
