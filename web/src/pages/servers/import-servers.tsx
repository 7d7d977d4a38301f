import { useRef, useState, type ChangeEvent } from 'react';
import type { RouteOutput } from '../../../../src/contract/routes/api.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { Claim, Problem } from '../../parts/states.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useTask } from '../../parts/use-task.ts';
import { client, useChange } from '../../session/api.ts';
import { correctionOf, ImportRow, isChosen, type Correction } from './import-row.tsx';

const MAX_FILE = 4_000_000;

type Rows = RouteOutput<'importServers'>['servers'];

/** Imports servers from the configuration of a client. Shows the list before anything is added; each row can be corrected. */
export function ImportServers({ onDone }: { onDone: () => void }) {
  const add = useChange('importServers', ['listServers', 'listTools', 'status']);
  const task = useTask();
  const [text, setText] = useState('');
  const [rows, setRows] = useState<Rows>();
  const [corrections, setCorrections] = useState<Record<number, Correction>>({});
  const [inputs, setInputs] = useState<Record<string, string>>({});
  const [added, setAdded] = useState<string[]>([]);
  const newest = useRef(0);

  function read(next: string): void {
    const mine = ++newest.current;
    setText(next);
    setRows(undefined);
    setCorrections({});
    setInputs({});
    setAdded([]);
    task.clear();
    if (next.trim() === '') return;
    task.run(async () => {
      try {
        const { servers } = await client.request('importServers', { body: { text: next, dry_run: true } });
        // The text has changed meanwhile: this answer is about another one.
        if (mine === newest.current) setRows(servers);
      } catch (error) {
        if (mine === newest.current) throw error;
      }
    });
  }

  async function readFile(event: ChangeEvent<HTMLInputElement>): Promise<void> {
    const file = event.target.files?.[0];
    if (!file) return;
    read('');
    if (file.size > MAX_FILE)
      task.run(() => Promise.reject(new Error('The file is too large (limit: 4 MB)')));
    else read(await file.text());
  }

  const chosen = (rows ?? []).filter((row) => isChosen(row, corrections[row.entry]));

  async function addChosen(): Promise<void> {
    const servers = chosen.map((row) => correctionOf(row, corrections[row.entry]));
    const answer = await add.mutateAsync({ body: { text, servers, inputs } });
    const done = new Map(answer.servers.map((row) => [row.entry, row]));
    const names = answer.servers.filter(({ state }) => state === 'added').map(({ name }) => name);
    setAdded((before) => [...before, ...names]);
    setRows(
      (rows ?? [])
        .map((row) => done.get(row.entry) ?? row)
        .filter((row) => done.get(row.entry)?.state !== 'added'),
    );
    if (names.length === servers.length) onDone();
  }

  return (
    <div className="stack">
      <label className="field">
        <span>Configuration file of a client (JSON, TOML or YAML)</span>
        <input
          type="file"
          accept=".json,.jsonc,.toml,.yaml,.yml,application/json"
          onChange={(event) => void readFile(event)}
        />
      </label>
      <label className="field">
        <span>Or paste its content</span>
        <textarea
          rows={8}
          className="mono"
          placeholder='{"mcpServers": {"name": {"command": "npx", "args": ["…"]}}}'
          onChange={(event) => read(event.target.value)}
        />
      </label>
      <p className="muted">
        Secrets are moved to files that only the user of mcpproxy can read, and are not shown.
      </p>
      {task.error !== undefined && <Problem error={task.error} />}
      {added.length > 0 && (
        <p className="note" role="status">
          Added: <Line text={added.join(', ')} />
        </p>
      )}
      {rows?.length === 0 && <Claim>No servers are left to import.</Claim>}
      {rows && rows.length > 0 && (
        <>
          <ul className="plain-list">
            {rows.map((row) => (
              <ImportRow
                key={row.entry}
                row={row}
                correction={corrections[row.entry]}
                onCorrect={(next) => setCorrections((before) => ({ ...before, [row.entry]: next }))}
                inputs={inputs}
                onInput={(id, value) => setInputs((before) => ({ ...before, [id]: value }))}
              />
            ))}
          </ul>
          <button
            className="primary"
            type="button"
            disabled={task.busy || chosen.length === 0}
            onClick={() => task.run(addChosen)}
          >
            {task.busy ? 'Adding…' : `Add ${counted(chosen.length, 'server')}`}
          </button>
        </>
      )}
    </div>
  );
}
