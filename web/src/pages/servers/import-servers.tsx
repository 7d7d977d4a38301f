import { useState, type ChangeEvent } from 'react';
import { Problem } from '../../parts/states.tsx';
import { useTask } from '../../parts/use-task.ts';
import { Line } from '../../parts/untrusted.tsx';
import { useChange } from '../../session/api.ts';
import { importConfig, type Found } from './import-config.ts';

const MAX_FILE = 1_000_000;

/** Takes servers over from the file that a client has. Nothing is added before somebody has seen the list. */
export function ImportServers({ onDone }: { onDone: () => void }) {
  const add = useChange('addServer', ['listServers', 'listTools', 'status']);
  const task = useTask();
  const [found, setFound] = useState<Found[]>();
  const [problems, setProblems] = useState<string[]>([]);

  const [added, setAdded] = useState<string[]>([]);

  function forget(): void {
    setFound(undefined);
    setProblems([]);
    setAdded([]);
    task.clear();
  }

  function read(text: string): void {
    forget();
    task.run(async () => setFound(importConfig(text)));
  }

  async function readFile(event: ChangeEvent<HTMLInputElement>): Promise<void> {
    const file = event.target.files?.[0];
    if (!file) return;
    forget();
    if (file.size > MAX_FILE)
      task.run(() => Promise.reject(new Error('This file is too large for a configuration')));
    else read(await file.text());
  }

  async function addAll(servers: Found[]): Promise<void> {
    const failed: string[] = [];
    const done: string[] = [];
    for (const { name, config } of servers) {
      if (!config) continue;
      await add.mutateAsync({ body: { name, config } }).then(
        () => done.push(name),
        (error: unknown) => failed.push(`${name}: ${error instanceof Error ? error.message : String(error)}`),
      );
    }
    setProblems(failed);
    setAdded((before) => [...before, ...done]);
    setFound(servers.filter(({ name }) => !done.includes(name)));
    if (failed.length === 0) onDone();
  }

  return (
    <div className="stack">
      <label className="field">
        <span>File of Claude Code, Cursor, VS Code or Gemini CLI (JSON)</span>
        <input
          type="file"
          accept=".json,.jsonc,application/json"
          onChange={(event) => void readFile(event)}
        />
      </label>
      <label className="field">
        <span>or paste it</span>
        <textarea
          rows={8}
          className="mono"
          placeholder='{"mcpServers": {"name": {"command": "npx", "args": ["…"]}}}'
          onChange={(event) => (event.target.value.trim() === '' ? forget() : read(event.target.value))}
        />
      </label>
      {task.error !== undefined && <Problem error={task.error} />}
      {added.length > 0 && (
        <p className="note" role="status">
          Added: <Line text={added.join(', ')} />
        </p>
      )}
      {problems.map((problem) => (
        <Problem key={problem} error={new Error(problem)} />
      ))}
      {found && (
        <>
          <ul className="plain-list">
            {found.map(({ name, config, problem }) => (
              <li key={name}>
                <strong>
                  <Line text={name} max={80} />
                </strong>{' '}
                {config ? (
                  <code>
                    <Line text={config.url ?? [config.command, ...(config.args ?? [])].join(' ')} max={160} />
                  </code>
                ) : (
                  <span className="note-inline-bad">
                    left out: <Line text={problem ?? ''} />
                  </span>
                )}
              </li>
            ))}
          </ul>
          <button
            className="primary"
            type="button"
            disabled={task.busy || !found.some(({ config }) => config)}
            onClick={() => task.run(() => addAll(found))}
          >
            {task.busy ? 'Adding …' : `Add ${found.filter(({ config }) => config).length} server(s)`}
          </button>
        </>
      )}
    </div>
  );
}
