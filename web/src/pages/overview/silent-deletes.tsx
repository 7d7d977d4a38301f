import { Link } from 'wouter';
import { counted } from '../../../../src/lib/visible-text.ts';
import { Problem } from '../../parts/states.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useTask } from '../../parts/use-task.ts';
import { client, useApi } from '../../session/api.ts';
import { refreshTools } from '../review/use-review.ts';
import { QueueRow } from './queue-row.tsx';

const LIMIT = 100;

/** Tools that look destructive, while neither their server nor the operator says so. */
export function useSilentDeletes() {
  return useApi('listTools', { unannotated: 'true', inferred: 'destructive', limit: LIMIT });
}

export function SilentDeletesRow({ names }: { names: readonly string[] }) {
  return (
    <QueueRow
      tone="warn"
      icon="bolt"
      title={
        <>
          <strong>{counted(names.length, 'tool looks', 'tools look')} destructive</strong>
          <span>without a hint of the server</span>
        </>
      }
      detail={<Line text={names.slice(0, 4).join(', ') + (names.length > 4 ? ', …' : '')} max={300} />}
      more={{ label: 'Decide', view: () => <Decide names={names} /> }}
    />
  );
}

function Decide({ names }: { names: readonly string[] }) {
  const task = useTask();
  const set = (wanted: readonly string[]) =>
    task.run(async () => {
      try {
        for (const name of wanted)
          await client.request('setOperation', { name, body: { operation: 'destructive' } });
      } finally {
        await refreshTools();
      }
      const what = wanted.length === 1 ? `${wanted[0]} counts` : `${counted(wanted.length, 'tool')} count`;
      showToast(`${what} as destructive now.`, () => clear(wanted));
    });
  return (
    <>
      <p>
        After this, agents may call them as destructive only, and rules for destructive calls apply. Other
        tools stay as they are.
      </p>
      {task.error !== undefined && <Problem error={task.error} />}
      <ul className="looks">
        {names.map((name) => (
          <li key={name} className="row row-apart">
            <Link href={`/tools?${new URLSearchParams({ tool: name })}`} className="mono">
              <Line text={name} max={100} />
            </Link>
            <button type="button" disabled={task.busy} onClick={() => set([name])}>
              Count as destructive
            </button>
          </li>
        ))}
      </ul>
      {names.length > 1 && (
        <div className="row">
          <button type="button" className="primary" disabled={task.busy} onClick={() => set(names)}>
            Count all {names.length} as destructive
          </button>
        </div>
      )}
    </>
  );
}

async function clear(names: readonly string[]): Promise<void> {
  try {
    for (const name of names) await client.request('clearOperation', { name });
  } finally {
    await refreshTools();
  }
}
