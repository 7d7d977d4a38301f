import { Time } from '../../parts/time.tsx';
import { useApi } from '../../session/api.ts';

/** Where the chain of hashes tells of the record. */
export function ChainPlace({ id }: { id: string }) {
  const chain = useApi('activityChain', { id });
  if (!chain.data || chain.data.entries.length === 0) return null;
  return (
    <section>
      <h3>In the chain</h3>
      <ul className="chain">
        {chain.data.entries.map(({ log, n, kind, time }) => (
          <li key={`${log} ${n}`}>
            {kind} at entry <strong>{n.toLocaleString('en')}</strong> of log <code>{log.slice(0, 12)}</code>,{' '}
            <Time at={time} />
          </li>
        ))}
      </ul>
    </section>
  );
}
