import { useRef, useState, type FormEvent } from 'react';
import type { ServerConfig } from '../../../../src/contract/config.ts';
import type { ServerTest } from '../../../../src/contract/status.ts';
import { Drawer } from '../../parts/drawer.tsx';
import { Problem } from '../../parts/states.tsx';
import { useTask } from '../../parts/use-task.ts';
import { client, useChange } from '../../session/api.ts';
import { ImportServers } from './import-servers.tsx';
import { TestResult } from './test-result.tsx';
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
  const testing = useTask();
  const [test, setTest] = useState<ServerTest>();
  const form = useRef<HTMLFormElement>(null);

  function text(name: string): string {
    const value = new FormData(form.current!).get(name);
    return typeof value === 'string' ? value.trim() : '';
  }

  const tryOut = () =>
    testing.run(async () => {
      setTest(undefined);
      setTest(await client.request('testServer', { body: { config: configOf(way, text) } }));
    });

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    task.run(async () => {
      await add.mutateAsync({ body: { name: text('name'), config: configOf(way, text) } });
      onDone();
    });
  }

  return (
    <form ref={form} className="stack" onSubmit={submit}>
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
      {testing.error !== undefined && <Problem error={testing.error} />}
      {test && <TestResult test={test} />}
      {task.error !== undefined && <Problem error={task.error} />}
      <div className="row">
        <button type="button" disabled={testing.busy} onClick={tryOut}>
          {testing.busy ? 'Connecting…' : 'Test the connection'}
        </button>
        <button className="primary" type="submit" disabled={task.busy}>
          {task.busy ? 'Adding and connecting…' : 'Add'}
        </button>
      </div>
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
