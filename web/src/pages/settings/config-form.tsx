import { useState } from 'react';
import type { ConfigView } from '../../../../src/contract/routes/api.ts';
import { Fetched, Problem } from '../../parts/states.tsx';
import { useTask } from '../../parts/use-task.ts';
import { useApi, useChange } from '../../session/api.ts';
import { fieldsOfSettings, patchOf, type SettingField } from './setting-fields.ts';

/** The settings that can change while the proxy runs, as a form generated from their schema. */
export function ConfigForm() {
  const config = useApi('getConfig', {});
  return (
    <section className="card stack">
      <h2>Configuration</h2>
      <Fetched query={config} what="settings">
        {(data) => <Form view={data} />}
      </Fetched>
    </section>
  );
}

function Form({ view }: { view: ConfigView }) {
  const update = useChange('updateConfig', ['getConfig', 'status', 'listTools']);
  const fields = fieldsOfSettings(view);
  const [typed, setTyped] = useState<Record<string, string>>({});
  const [saved, setSaved] = useState(false);
  const task = useTask();
  const changed = Object.keys(typed).length > 0;
  const groups = [...new Set(fields.map(({ group }) => group))];

  const save = () =>
    task.run(async () => {
      await update.mutateAsync({ body: patchOf(fields, typed) });
      setTyped({});
      setSaved(true);
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
        Saved to <code>{view.file}</code>; comments are kept. Servers have their own page. Set addresses and
        keys in the file; they take effect after a restart.
      </p>
      {groups.map((group) => (
        <fieldset key={group} className="settings">
          <legend>{group}</legend>
          {fields
            .filter((field) => field.group === group)
            .map((field) => (
              <Setting
                key={field.id}
                field={field}
                value={typed[field.id] ?? field.value}
                onChange={(value) => {
                  setSaved(false);
                  setTyped((before) => ({ ...before, [field.id]: value }));
                }}
              />
            ))}
        </fieldset>
      ))}
      {task.error !== undefined && <Problem error={task.error} />}
      <div className="row">
        <button className="primary" type="submit" disabled={task.busy || !changed}>
          Save
        </button>
        {changed && (
          <button type="button" onClick={() => setTyped({})}>
            Discard changes
          </button>
        )}
        {saved && !changed && <span role="status">Saved and active.</span>}
      </div>
    </form>
  );
}

function Setting({
  field,
  value,
  onChange,
}: {
  field: SettingField;
  value: string;
  onChange: (value: string) => void;
}) {
  const { name, kind, choices, description, min, max } = field;
  return (
    <label className="field">
      <span>
        {name} {description && <span className="hint">{description}</span>}
      </span>
      {kind === 'choice' ? (
        <select value={value} onChange={(event) => onChange(event.target.value)}>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : kind === 'json' ? (
        <textarea
          rows={3}
          className="mono"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <input
          value={value}
          type={kind === 'number' ? 'number' : 'text'}
          min={min}
          max={max}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </label>
  );
}
