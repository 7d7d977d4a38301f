import { use, useId, useState, type ReactNode } from 'react';
import type { JsonObject } from '../../../../src/json/index.ts';
import { Icon } from '../icon.tsx';
import { FormContext } from './form-context.ts';
import { initialValue, resolveSchema, shapeOf, type Shape } from './shape.ts';

const joined = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

export function ObjectFields({
  shape: { fields, extra },
  path,
  value,
  onChange,
}: {
  shape: Extract<Shape, { kind: 'object' }>;
  path: string;
  value: JsonObject;
  onChange: (value: JsonObject) => void;
}) {
  const { Field } = use(FormContext);
  function set(name: string, next: unknown): void {
    const entries = new Map(Object.entries(value));
    if (next === undefined) entries.delete(name);
    else entries.set(name, next);
    onChange(Object.fromEntries(entries));
  }
  const known = new Set(fields.map(({ name }) => name));
  const isEmpty = path === '' && fields.length === 0;
  return (
    <>
      {fields.map(({ name, schema, required }) => (
        <Field
          key={name}
          name={name}
          path={joined(path, name)}
          schema={schema}
          value={value[name]}
          required={required}
          onChange={(next) => set(name, next)}
        />
      ))}
      {isEmpty && <p className="muted">It names no arguments.</p>}
      {extra && (
        <OtherFields
          schema={extra}
          path={path}
          isFolded={isEmpty}
          names={Object.keys(value).filter((name) => !known.has(name))}
          value={value}
          onSet={set}
        />
      )}
    </>
  );
}

interface OtherFieldsProps {
  schema: JsonObject;
  path: string;
  /** Those that the schema does not name. */
  names: string[];
  /** Nobody needs them, so they are behind a click. */
  isFolded: boolean;
  value: JsonObject;
  onSet: (name: string, value: unknown) => void;
}

/** Fields with names that a person chooses. */
function OtherFields({ schema, path, names, isFolded, value, onSet }: OtherFieldsProps) {
  const { root, Field } = use(FormContext);
  const [name, setName] = useState('');
  const id = useId();
  const isNew = name !== '' && !Object.hasOwn(value, name);
  const fallback = shapeOf(resolveSchema(schema, root), root).kind === 'json' ? null : '';
  function add(): void {
    if (!isNew) return;
    onSet(name, initialValue(schema, root, true) ?? fallback);
    setName('');
  }
  return (
    <>
      {names.map((each) => (
        <div key={each} className="form-item">
          <Field
            name={each}
            path={joined(path, each)}
            schema={schema}
            value={value[each]}
            required
            isItem
            onChange={(next) => onSet(each, next ?? fallback)}
          />
          <SmallButton
            label={`Remove ${joined(path, each)}`}
            icon="close"
            onClick={() => onSet(each, undefined)}
          />
        </div>
      ))}
      <Folded label="Add an argument" isFolded={isFolded}>
        <label className="field" htmlFor={id}>
          <span>Name of another field</span>
        </label>
        <input
          id={id}
          value={name}
          aria-label={`Name of another field of ${path || 'the arguments'}`}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // Enter in this field adds, and does not send the form.
            event.preventDefault();
            add();
          }}
        />
        <button type="button" disabled={!isNew} onClick={add}>
          Add
        </button>
      </Folded>
    </>
  );
}

export function ListItems({
  shape: { itemAt, maxItems },
  path,
  value,
  onChange,
}: {
  shape: Extract<Shape, { kind: 'list' }>;
  path: string;
  value: readonly unknown[];
  onChange: (value: unknown[]) => void;
}) {
  const { root, Field } = use(FormContext);
  // So that what is typed into an item stays with it when one before it is removed.
  const [ids, setIds] = useState(() => value.map((_, index) => index));
  function add(): void {
    setIds([...ids, Math.max(-1, ...ids) + 1]);
    onChange([...value, initialValue(itemAt(value.length), root, true) ?? '']);
  }
  function remove(index: number): void {
    setIds(ids.toSpliced(index, 1));
    onChange(value.toSpliced(index, 1));
  }
  return (
    <>
      {value.map((item, index) => (
        <div key={ids[index]} className="form-item">
          <Field
            name={String(index + 1)}
            path={`${path}[${index}]`}
            schema={itemAt(index)}
            value={item}
            required
            isItem
            onChange={(next) => onChange(value.with(index, next ?? ''))}
          />
          <SmallButton label={`Remove ${path}[${index}]`} icon="close" onClick={() => remove(index)} />
        </div>
      ))}
      {value.length < (maxItems ?? Infinity) && (
        <SmallButton label={`Add an item to ${path}`} icon="plus" text="Add" onClick={add} />
      )}
    </>
  );
}

function Folded({ label, isFolded, children }: { label: string; isFolded: boolean; children: ReactNode }) {
  if (!isFolded) return <div className="row">{children}</div>;
  return (
    <details>
      <summary>{label}</summary>
      <div className="row">{children}</div>
    </details>
  );
}

export function SmallButton({
  label,
  icon,
  text,
  onClick,
}: {
  label: string;
  icon: 'close' | 'plus';
  /** Shown beside the icon. */
  text?: string;
  onClick: () => void;
}) {
  return (
    <button type="button" className="quiet form-small" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
      {text !== undefined && <span aria-hidden="true">{text}</span>}
    </button>
  );
}
