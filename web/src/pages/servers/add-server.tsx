import { useState, type FormEvent } from 'react';
import type { ServerConfig } from '../../../../src/contract/config.ts';
import { Drawer } from '../../parts/drawer.tsx';
import { Problem } from '../../parts/states.tsx';
import { useTask } from '../../parts/use-task.ts';
import { useChange } from '../../session/api.ts';
import { ImportServers } from './import-servers.tsx';
import { parsePairs, splitCommand } from './split-command.ts';

type Way = 'command' | 'url' | 'import';
const WAYS: Record<Way, string> = { command: 'Command', url: 'URL', import: 'Import from a client' };

/** Adds a server by command or URL, or imports the servers of a client. */
export function AddServer({ onClose }: { onClose: () => void }) {
  const [way, setWay] = useState<Way>('command');
  return (
    <Drawer title="Add a server" onClose={onClose}>
      <fieldset className="segments">
        <legend>Source</legend>
        {(Object.keys(WAYS) as Way[]).map((value) => (
          <label key={value}>
            <input type="radio" name="way" checked={way === value} onChange={() => setWay(value)} />
            <span>{WAYS[value]}</span>
          </label>
        ))}
      </fieldset>
      {way === 'import' ? <ImportServers onDone={onClose} /> : <ServerForm way={way} onDone={onClose} />}
    </Drawer>
  );
}

function ServerForm({ way, onDone }: { way: 'command' | 'url'; onDone: () => void }) {
  const add = useChange('addServer', ['listServers', 'listTools', 'status']);
  const task = useTask();

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const text = (name: string) => {
      const value = fields.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    task.run(async () => {
      await add.mutateAsync({ body: { name: text('name'), config: configOf(way, text) } });
      onDone();
    });
  }

  return (
    <form className="stack" onSubmit={submit}>
      <label className="field">
        <span>Name</span>
        <input name="name" required maxLength={200} placeholder="github" />
      </label>
      {way === 'command' ? (
        <>
          <label className="field">
            <span>Command line</span>
            <input
              name="command"
              required
              className="mono"
              placeholder="npx -y @modelcontextprotocol/server-filesystem /home/me/files"
            />
          </label>
          <label className="field">
            <span>Environment (one NAME=value per line)</span>
            <textarea name="env" rows={3} className="mono" placeholder="GITHUB_TOKEN=${env:GITHUB_TOKEN}" />
          </label>
        </>
      ) : (
        <>
          <label className="field">
            <span>URL</span>
            <input
              name="url"
              type="url"
              required
              className="mono"
              placeholder="https://mcp.example.com/mcp"
            />
          </label>
          <label className="field">
            <span>Headers (one Name: value per line)</span>
            <textarea
              name="headers"
              rows={3}
              className="mono"
              placeholder="Authorization: Bearer ${env:TOKEN}"
            />
          </label>
        </>
      )}
      <p className="muted">
        Do not enter secrets. Use <code>{'${env:NAME}'}</code> or <code>{'${file:PATH}'}</code> instead: the
        value is read when the server is connected and never shown.
      </p>
      {task.error !== undefined && <Problem error={task.error} />}
      <button className="primary" type="submit" disabled={task.busy}>
        {task.busy ? 'Adding and connecting…' : 'Add'}
      </button>
    </form>
  );
}

function configOf(way: 'command' | 'url', text: (name: string) => string): ServerConfig {
  if (way === 'url') {
    const headers = parsePairs(text('headers'), ':');
    return { url: text('url'), ...(Object.keys(headers).length > 0 && { headers }) };
  }
  const [command = '', ...args] = splitCommand(text('command'));
  const env = parsePairs(text('env'), '=');
  return { command, args, ...(Object.keys(env).length > 0 && { env }) };
}
