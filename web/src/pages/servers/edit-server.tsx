import type { FormEvent } from 'react';
import { Problem } from '../../parts/states.tsx';
import { useTask } from '../../parts/use-task.ts';
import { useChange } from '../../session/api.ts';

/** The settings that are changed now and then. A field that stays empty stays as it is. */
export function EditServer({ name, onDone }: { name: string; onDone: () => void }) {
  const update = useChange('updateServer', ['listServers', 'getServer']);
  const task = useTask();

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const body: Record<string, unknown> = {};
    for (const [key, value] of new FormData(event.currentTarget)) {
      if (typeof value !== 'string' || value.trim() === '') continue;
      body[key] = key === 'concurrency' ? Number(value) : value.trim();
    }
    task.run(async () => {
      await update.mutateAsync({ name, body });
      onDone();
    });
  }

  return (
    <form className="stack" onSubmit={submit}>
      <h3>Change settings</h3>
      <div className="row">
        <label className="field">
          <span>Time limit per call</span>
          <input name="timeout" pattern="\d+(ms|s|m|h|d)" placeholder="30s" />
        </label>
        <label className="field">
          <span>Calls at once</span>
          <input name="concurrency" type="number" min={1} max={1000} placeholder="32" />
        </label>
        <label className="field">
          <span>URL (remote servers)</span>
          <input name="url" type="url" />
        </label>
      </div>
      <p className="muted">Empty fields stay as they are. Everything else is in the configuration file.</p>
      {task.error !== undefined && <Problem error={task.error} />}
      <div className="row">
        <button className="primary" type="submit" disabled={task.busy}>
          {task.busy ? 'Saving …' : 'Save'}
        </button>
      </div>
    </form>
  );
}
