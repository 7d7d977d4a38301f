import { useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import type { CallResult } from '../../../../../src/contract/call.ts';
import { operationOf, ToolVariant } from '../../../../../src/contract/operation.ts';
import type { JudgedTool } from '../../../../../src/contract/tool.ts';
import { exactJson, isObject, type JsonObject } from '../../../../../src/json/index.ts';
import { CopyButton } from '../../../parts/buttons.tsx';
import { initialValue } from '../../../parts/form/shape.ts';
import { Problem } from '../../../parts/states.tsx';
import { useTask } from '../../../parts/use-task.ts';
import { client } from '../../../session/api.ts';
import { BASE } from '../../../session/base.ts';
import { ArgumentsInput } from '../../../parts/form/arguments-input.tsx';
import { asCommand, asCurl } from './as-command.ts';
import { CallResultView, type Finished } from './call-result.tsx';

const MAX_PAST = 10;

/** Calls a tool with the same checks as a call of an agent. `given` are arguments to begin with. */
export function RunTool({ tool, given }: { tool: JudgedTool; given: JsonObject | undefined }) {
  const [args, setArgs] = useState<JsonObject>(() => given ?? firstArguments(tool));
  // Another number: the form begins again with other arguments.
  const [form, setForm] = useState(0);
  const [variant, setVariant] = useState<ToolVariant>();
  const [reason, setReason] = useState('');
  const [past, setPast] = useState<readonly Finished[]>([]);
  const running = useRef<AbortController>(undefined);
  const task = useTask();
  const chosen = variant ?? tool.call_with;
  const operation = operationOf(chosen);
  const argsJson = exactJson(args) ?? '{}';

  function call(): void {
    const stop = new AbortController();
    running.current = stop;
    task.run(async () => {
      const intent = { operation_type: operation, ...(reason && { reason }) };
      const body = { tool_variant: chosen, name: tool.name, args_json: argsJson, intent };
      const started = performance.now();
      const result: CallResult = await client.request('callTool', { body }, stop.signal);
      const durationMs = performance.now() - started;
      setPast((before) => [{ args, result, durationMs, at: Date.now() }, ...before].slice(0, MAX_PAST));
    });
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    call();
  }

  function repeat({ args: earlier }: Finished): void {
    setArgs(earlier);
    setForm(form + 1);
  }

  const command = { name: tool.name, operation, argsJson, reason };
  const [newest, ...older] = past;
  return (
    <section className="stack" aria-label="Run the tool">
      <h3>Run it</h3>
      <form className="stack" onSubmit={submit} onKeyDown={sendsOnCtrlEnter}>
        <ArgumentsInput key={form} schema={tool.inputSchema} value={args} onChange={setArgs} />
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
          <button
            type="submit"
            className={operation === 'destructive' ? 'danger' : 'primary'}
            disabled={task.busy}
          >
            {task.busy ? 'Calling…' : newest ? 'Call again' : 'Call the tool'}
          </button>
          {task.busy && (
            <button type="button" onClick={() => running.current?.abort()}>
              Cancel
            </button>
          )}
          <kbd title="Sends the form">Ctrl Enter</kbd>
          <span className="grow" />
          <CopyButton label="Copy as command" text={asCommand(command)} />
          <CopyButton label="Copy as curl" text={asCurl(command, location.origin + BASE)} />
        </div>
      </form>
      {task.error !== undefined && <Problem error={task.error} />}
      <div role="status">
        {newest && <CallResultView key={newest.at} server={tool.server} call={newest} />}
      </div>
      {older.length > 0 && (
        <details>
          <summary>Earlier calls from this page ({older.length})</summary>
          <ul className="plain-list">
            {older.map((each) => (
              <li key={each.at} className="stack">
                <button type="button" onClick={() => repeat(each)}>
                  Use these arguments
                </button>
                <CallResultView server={tool.server} call={each} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function firstArguments({ inputSchema }: JudgedTool): JsonObject {
  const first = initialValue(inputSchema, inputSchema, true);
  return isObject(first) ? first : {};
}

function sendsOnCtrlEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
}
