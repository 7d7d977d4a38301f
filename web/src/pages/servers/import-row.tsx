import type { RouteInput, RouteOutput } from '../../../../src/contract/routes/api.ts';
import { Line } from '../../parts/untrusted.tsx';
import { splitCommand } from './split-command.ts';

type Row = RouteOutput<'importServers'>['servers'][number];
type Wanted = NonNullable<RouteInput<'importServers'>['body']['servers']>[number];

/** What a person changes of a row before it is imported. */
export interface Correction {
  /** Absent: as the proxy proposes. */
  chosen?: boolean;
  name?: string;
  /** A command line or URL in place of that of the file. */
  target?: string;
}

/** A row that can be added is chosen at first; one that cannot be used as it stands, once it is corrected. */
export function isChosen(row: Row, correction: Correction = {}): boolean {
  if (row.state === 'known') return false;
  return correction.chosen ?? (row.state === 'added' || hasChange(correction));
}

function hasChange({ name, target }: Correction): boolean {
  return [name, target].some((text) => text !== undefined && text.trim() !== '');
}

/** The entry with its corrections, for the proxy. */
export function correctionOf({ entry }: Row, { name = '', target = '' }: Correction = {}): Wanted {
  return {
    entry,
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(target.trim() !== '' && { config: targetSettings(target.trim()) }),
  };
}

function targetSettings(target: string): Record<string, unknown> {
  if (/^https?:\/\//.test(target)) return { url: target, command: null, args: null };
  const [command = '', ...args] = splitCommand(target);
  return { command, args, url: null, headers: null, type: null };
}

interface ImportRowProps {
  row: Row;
  correction: Correction | undefined;
  onCorrect: (next: Correction) => void;
  inputs: Readonly<Record<string, string>>;
  onInput: (id: string, value: string) => void;
}

/** One server of the file: whether to import it, with fields to correct it. */
export function ImportRow({ row, correction = {}, onCorrect, inputs, onInput }: ImportRowProps) {
  const { name, alias, state, reason, target, warnings, inputs: asked } = row;
  return (
    <li>
      <div className="row">
        {state !== 'known' && (
          <input
            type="checkbox"
            aria-label={`Import ${name}`}
            checked={isChosen(row, correction)}
            onChange={(event) => onCorrect({ ...correction, chosen: event.target.checked })}
          />
        )}
        <strong>
          <Line text={name} max={80} />
        </strong>
        {alias !== name && state === 'added' && (
          <span className="muted">
            as <code>{alias}</code>
          </span>
        )}
        {!row.enabled && <span className="muted">disabled</span>}
        <code className="server-target">
          <Line text={target} max={160} />
        </code>
      </div>
      {reason !== undefined && (
        <p className={state === 'failed' ? 'note-inline-bad' : 'muted'}>
          {state === 'failed' ? 'Cannot be used: ' : ''}
          <Line text={reason} />
        </p>
      )}
      {warnings && (
        <p className="muted">
          <Line text={warnings.join('; ')} />
        </p>
      )}
      {asked?.map(({ id, description, secret }) => (
        <label className="field" key={id}>
          <span>
            <Line text={description ?? id} max={120} />
          </span>
          <input
            type={secret ? 'password' : 'text'}
            autoComplete="off"
            value={inputs[id] ?? ''}
            onChange={(event) => {
              onInput(id, event.target.value);
              onCorrect({ ...correction, chosen: event.target.value !== '' });
            }}
          />
        </label>
      ))}
      {state !== 'known' && <Fields row={row} correction={correction} onCorrect={onCorrect} />}
    </li>
  );
}

function Fields({
  row: { name, state },
  correction,
  onCorrect,
}: Pick<ImportRowProps, 'row' | 'onCorrect'> & { correction: Correction }) {
  return (
    <details open={state === 'failed'}>
      <summary>Correct</summary>
      <label className="field">
        <span>Another name</span>
        <input
          maxLength={200}
          placeholder={name}
          value={correction.name ?? ''}
          onChange={(event) => onCorrect({ ...correction, name: event.target.value })}
        />
      </label>
      <label className="field">
        <span>Another command line or URL</span>
        <input
          className="mono"
          value={correction.target ?? ''}
          onChange={(event) => onCorrect({ ...correction, target: event.target.value })}
        />
      </label>
    </details>
  );
}
