import type { FormEvent } from 'react';
import { OperationType } from '../../../../src/contract/operation.ts';
import type { MadeToken } from '../../../../src/contract/token.ts';
import { Problem } from '../../parts/states.tsx';
import { useTask } from '../../parts/use-task.ts';
import { useChange } from '../../session/api.ts';

interface Props {
  name?: string;
  button?: string;
  onCreated: (made: MadeToken) => void;
}

/** What a new token permits. */
export function NewTokenForm({ name = '', button = 'Create token', onCreated }: Props) {
  const create = useChange('createToken', ['listTokens']);
  const task = useTask();

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    const text = (name: string) => {
      const value = fields.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const list = (name: string) =>
      text(name)
        .split(/[\s,]+/)
        .filter(Boolean);
    const operations = OperationType.options.filter((operation) => fields.get(operation) !== null);
    task.run(async () => {
      const made = await create.mutateAsync({
        body: {
          name: text('name'),
          operations,
          ...(list('servers').length > 0 && { servers: list('servers') }),
          ...(list('tools').length > 0 && { tools: list('tools') }),
          ...(text('expires') && { expires: text('expires') }),
        },
      });
      form.reset();
      onCreated(made);
    });
  }

  return (
    <form className="stack" onSubmit={submit}>
      <div className="row">
        <label className="field">
          <span>Name</span>
          <input
            name="name"
            defaultValue={name}
            required
            pattern="[A-Za-z0-9][A-Za-z0-9_.\-]{0,63}"
            placeholder="cursor"
          />
        </label>
        <fieldset className="checks">
          <legend>Allowed operations</legend>
          {OperationType.options.map((operation) => (
            <label className="check" key={operation}>
              <input type="checkbox" name={operation} defaultChecked />
              {operation}
            </label>
          ))}
        </fieldset>
        <label className="field">
          <span>Servers (default: all)</span>
          <input name="servers" placeholder="github, files" />
        </label>
        <label className="field">
          <span>Tools (default: all)</span>
          <input name="tools" placeholder="github:list_*" />
        </label>
        <label className="field">
          <span>Expires after</span>
          <input name="expires" placeholder="90d" />
        </label>
      </div>
      {task.error !== undefined && <Problem error={task.error} />}
      <div className="row">
        <button className="primary" type="submit" disabled={task.busy}>
          {button}
        </button>
      </div>
    </form>
  );
}
