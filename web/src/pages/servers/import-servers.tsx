import { useState, type ChangeEvent } from 'react';
import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser';
import { Problem } from '../../parts/states.tsx';
import { useTask } from '../../parts/use-task.ts';
import { Line } from '../../parts/untrusted.tsx';
import { counted } from '../../../../src/lib/visible-text.ts';
import { useChange } from '../../session/api.ts';
import type { ServerConfig } from '../../../../src/contract/config.ts';
import { readServerEntry } from '../../../../src/contract/entry/server-entry.ts';

const MAX_FILE = 1_000_000;

/** Imports servers from the configuration of a client. Shows the list before anything is added. */
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
      task.run(() => Promise.reject(new Error('The file is too large (limit: 1 MB)')));
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
        <span>Configuration file of Claude Code, Cursor, VS Code or Gemini CLI (JSON)</span>
        <input
          type="file"
          accept=".json,.jsonc,application/json"
          onChange={(event) => void readFile(event)}
        />
      </label>
      <label className="field">
        <span>Or paste its content</span>
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
                    Skipped: <Line text={problem ?? ''} />
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
            {task.busy ? 'Adding…' : `Add ${counted(found.filter(({ config }) => config).length, 'server')}`}
          </button>
        </>
      )}
    </div>
  );
}

interface Found {
  name: string;
  /** Absent where the entry is not usable: `problem` says why. */
  config?: ServerConfig;
  problem?: string;
}

/** The servers in the configuration of a client: under `mcpServers` (most clients), `servers` (VS Code), or at the top level. */
function importConfig(text: string): Found[] {
  const errors: ParseError[] = [];
  const value = parse(text, errors, { allowTrailingComma: true }) as Record<string, unknown> | undefined;
  const [first] = errors;
  if (first)
    throw new Error(`Invalid JSON: ${printParseErrorCode(first.error)} at character ${first.offset}`);
  const map = (value?.mcpServers ?? value?.servers ?? value) as Record<string, unknown> | undefined;
  if (typeof map !== 'object' || map === null || Array.isArray(map))
    throw new Error('The file has no "mcpServers" or "servers" object');
  return Object.entries(map).map(([name, entry]) => readEntry(name, entry));
}

function readEntry(name: string, entry: unknown): Found {
  const { config, problems } = readServerEntry(entry);
  const [problem] = problems;
  if (!problem) return { name, config };
  return { name, problem: [problem.path.join('.'), problem.message].filter(Boolean).join(' ') };
}
