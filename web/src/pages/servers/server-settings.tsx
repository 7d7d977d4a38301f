import { useState } from 'react';
import type { RouteOutput } from '../../../../src/contract/routes/api.ts';
import type { ServerTest } from '../../../../src/contract/status.ts';
import type { JsonObject } from '../../../../src/json/index.ts';
import { ArgumentsInput } from '../../parts/form/arguments-input.tsx';
import { Fetched, Problem } from '../../parts/states.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { useTask } from '../../parts/use-task.ts';
import { client, useApi, useChange } from '../../session/api.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { mergePatchOf } from './merge-patch.ts';
import { TestResult } from './test-result.tsx';

/** Every setting of a server, with a connection test before they are saved. */
export function ServerSettings({ name }: { name: string }) {
  const settings = useApi('serverSettings', { name });
  return (
    <details className="stack">
      <summary>
        <h3>Settings</h3>
      </summary>
      <Fetched query={settings} what="settings">
        {(data) => <SettingsForm key={JSON.stringify(data.settings)} shown={data} />}
      </Fetched>
    </details>
  );
}

function SettingsForm({ shown: { name, settings, schema } }: { shown: RouteOutput<'serverSettings'> }) {
  const update = useChange('updateServer', [
    'listServers',
    'getServer',
    'serverSettings',
    'listTools',
    'status',
  ]);
  const [typed, setTyped] = useState<JsonObject>(settings);
  const [test, setTest] = useState<ServerTest>();
  const testing = useTask();
  const saving = useTask();
  const changes = mergePatchOf(settings, typed);
  const count = Object.keys(changes).length;

  const save = () =>
    saving.run(async () => {
      const before = mergePatchOf(typed, settings);
      await update.mutateAsync({ name, body: changes });
      // A value that is masked here cannot be put back from here.
      const isKnown = !JSON.stringify(before).includes('***');
      showToast(
        `${name} is changed.`,
        isKnown ? () => update.mutateAsync({ name, body: before }) : undefined,
      );
    });
  const tryOut = () =>
    testing.run(async () => {
      setTest(undefined);
      setTest(await client.request('testServer', { body: { name, changes } }));
    });

  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <p className="muted">
        Hidden values are shown as ***. A value that you leave as it is stays. Use{' '}
        <code>{'${env:NAME}'}</code> or <code>{'${file:PATH}'}</code> for secrets.
      </p>
      <ArgumentsInput title="Settings of the server" schema={schema} value={typed} onChange={setTyped} />
      {testing.error !== undefined && <Problem error={testing.error} />}
      {test && <TestResult test={test} />}
      {saving.error !== undefined && <Problem error={saving.error} />}
      <div className="row">
        <button type="button" disabled={testing.busy} onClick={tryOut}>
          {testing.busy ? 'Connecting…' : 'Test the connection'}
        </button>
        <button className="primary" type="submit" disabled={saving.busy || count === 0}>
          {saving.busy ? 'Saving…' : 'Save'}
        </button>
        {count > 0 && <span className="muted">{counted(count, 'changed setting')}</span>}
      </div>
    </form>
  );
}
