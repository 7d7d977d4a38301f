import { useMemo, useState, type FormEvent } from 'react';
import type { CallResult } from '../../../../src/contract/call.ts';
import type { JudgedTool } from '../../../../src/contract/tool.ts';
import { operationOf, ToolVariant } from '../../../../src/contract/operation.ts';
import { exactJson } from '../../../../src/json/index.ts';
import { CodeView } from '../../parts/code-view.tsx';
import { Problem } from '../../parts/states.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useTask } from '../../parts/use-task.ts';
import { client } from '../../session/api.ts';
import { imagesOf } from '../../parts/images.ts';
import { argumentsOf, fieldsOf, type SchemaField } from './schema-fields.ts';

/** A form to call the tool, with the same checks as a call of an agent. */
export function TryTool({ tool }: { tool: JudgedTool }) {
  const fields = useMemo(() => fieldsOf(tool.inputSchema), [tool.inputSchema]);
  const [values, setValues] = useState<Record<string, string>>({});
  const [variant, setVariant] = useState<ToolVariant>();
  const [reason, setReason] = useState('');
  const [result, setResult] = useState<CallResult>();
  const task = useTask();
  const chosen = variant ?? tool.call_with;

  function submit(event: FormEvent): void {
    event.preventDefault();
    setResult(undefined);
    task.run(async () => {
      const args_json = exactJson(argumentsOf(fields, values));
      const intent = { operation_type: operationOf(chosen), ...(reason && { reason }) };
      setResult(
        await client.request('callTool', {
          body: { tool_variant: chosen, name: tool.name, args_json, intent },
        }),
      );
    });
  }

  return (
    <section className="stack">
      <h3>Try it</h3>
      <form className="stack" onSubmit={submit}>
        {fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            value={values[field.name] ?? field.initial}
            onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
        {fields.length === 0 && <p className="muted">This tool takes no arguments.</p>}
        <div className="row">
          <label className="field">
            <span>Call with</span>
            <select value={chosen} onChange={(event) => setVariant(ToolVariant.parse(event.target.value))}>
              {ToolVariant.options.map((option) => (
                <option key={option}>{option}</option>
              ))}
            </select>
          </label>
          <label className="field grow">
            <span>Reason (recorded in the activity log)</span>
            <input value={reason} maxLength={1000} onChange={(event) => setReason(event.target.value)} />
          </label>
        </div>
        <div className="row">
          <button type="submit" className="primary" disabled={task.busy}>
            {task.busy ? 'Calling…' : 'Call the tool'}
          </button>
        </div>
      </form>
      {task.error !== undefined && <Problem error={task.error} />}
      {result && (
        <div role="status">
          <CodeView label={result.isError ? 'The tool returned an error' : 'Result'} value={result} />
          {imagesOf(result).map(({ source, type }) => (
            <img key={source.slice(-64)} className="result-image" src={source} alt={`Result, ${type}`} />
          ))}
        </div>
      )}
    </section>
  );
}

function Field({
  field,
  value,
  onChange,
}: {
  field: SchemaField;
  value: string;
  onChange: (value: string) => void;
}) {
  const { name, kind, required, description, choices } = field;
  const shared = { value, required, 'aria-label': name };
  return (
    <label className="field">
      <span>
        <Line text={name} max={80} />
        {required ? ' (required)' : ''}{' '}
        {description && <span className="hint">{<Line text={description} max={200} />}</span>}
      </span>
      {kind === 'choice' || kind === 'boolean' ? (
        <select {...shared} onChange={(event) => onChange(event.target.value)}>
          <option value="">–</option>
          {(kind === 'boolean' ? ['true', 'false'] : choices).map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : kind === 'json' ? (
        <textarea
          {...shared}
          rows={3}
          className="mono"
          placeholder="JSON"
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <input
          {...shared}
          inputMode={kind === 'text' ? 'text' : 'decimal'}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </label>
  );
}
