import { use, useState } from 'react';
import { exactJson, isObject, type JsonObject } from '../../../../src/json/index.ts';
import { Line } from '../untrusted.tsx';
import { FormContext, type FieldProps, type ShapedField } from './form-context.ts';
import { ListItems, ObjectFields, SmallButton } from './group-fields.tsx';
import { Input } from './inputs.tsx';
import { initialValue, resolveSchema, shapeOf, variantOf, type Shape } from './shape.ts';

const MAX_DEPTH = 12;

/** A form for the properties of any JSON Schema. The value is JSON with exact numbers. */
export function SchemaForm({
  schema,
  value,
  onChange,
}: {
  schema: JsonObject;
  value: JsonObject;
  onChange: (value: JsonObject) => void;
}) {
  const shape = shapeOf(resolveSchema(schema, schema), schema);
  return (
    <FormContext value={{ root: schema, depth: 0, Field: SchemaField }}>
      {shape.kind === 'object' ? (
        <ObjectFields shape={shape} path="" value={value} onChange={onChange} />
      ) : (
        <SchemaField
          name="arguments"
          path="arguments"
          schema={schema}
          value={value}
          required
          onChange={(next) => onChange(isObject(next) ? next : {})}
        />
      )}
    </FormContext>
  );
}

function SchemaField(props: FieldProps) {
  const { root, depth } = use(FormContext);
  const schema = resolveSchema(props.schema, root);
  const shape: Shape = depth > MAX_DEPTH ? { kind: 'json' } : shapeOf(schema, root);
  const field = { ...props, schema, shape };
  if (shape.kind === 'object' || shape.kind === 'list' || shape.kind === 'variants')
    return (
      <FormContext value={{ root, depth: depth + 1, Field: SchemaField }}>
        <Group {...field} />
      </FormContext>
    );
  if (shape.kind === 'const') return <ConstField {...field} constant={shape.value} />;
  return (
    <label className="field">
      <Caption {...field} />
      <Input {...field} />
    </label>
  );
}

function Caption({
  name,
  schema,
  required,
  isItem = false,
}: Pick<ShapedField, 'name' | 'schema' | 'required' | 'isItem'>) {
  const { title, description } = schema;
  return (
    <span>
      <Line text={name} max={80} />
      {required && !isItem ? ' (required)' : ''}{' '}
      {typeof title === 'string' && title !== name && (
        <span className="hint">
          <Line text={title} max={100} />
        </span>
      )}{' '}
      {typeof description === 'string' && (
        <span className="hint">
          <Line text={description} max={400} />
        </span>
      )}
    </span>
  );
}

/** Fields inside of a field: those of an object, the items of a list, or one of several variants. */
function Group({ shape, ...field }: ShapedField) {
  const { root } = use(FormContext);
  const { name, path, schema, value, required, isItem, onChange } = field;
  // What was added may have no value yet.
  const [isAdded, setAdded] = useState(false);
  const isShown = required || isAdded || value !== undefined;
  function add(): void {
    setAdded(true);
    onChange(initialValue(schema, root, true));
  }
  function leaveOut(): void {
    setAdded(false);
    onChange(undefined);
  }
  return (
    <fieldset className="form-group">
      <legend>
        <Caption name={name} schema={schema} required={required} isItem={isItem} />
      </legend>
      {isShown ? (
        <Inside {...field} shape={shape} />
      ) : (
        <SmallButton label={`Add ${path}`} icon="plus" text="Add" onClick={add} />
      )}
      {isShown && !required && (
        <SmallButton label={`Leave out ${path}`} icon="close" text="Leave out" onClick={leaveOut} />
      )}
    </fieldset>
  );
}

function Inside({ shape, ...field }: ShapedField) {
  const { path, value, onChange } = field;
  if (shape.kind === 'object')
    return (
      <ObjectFields shape={shape} path={path} value={isObject(value) ? value : {}} onChange={onChange} />
    );
  if (shape.kind === 'list')
    return (
      <ListItems shape={shape} path={path} value={Array.isArray(value) ? value : []} onChange={onChange} />
    );
  return shape.kind === 'variants' ? <Variants {...field} variants={shape.variants} /> : null;
}

function Variants({
  variants,
  ...field
}: Omit<ShapedField, 'shape'> & { variants: Extract<Shape, { kind: 'variants' }>['variants'] }) {
  const { root } = use(FormContext);
  const { path, value, onChange } = field;
  const [chosen, setChosen] = useState(() => variantOf(value, variants, root));
  const variant = variants[chosen] ?? variants[0]!;
  return (
    <>
      <label className="field">
        <span>Variant</span>
        <select
          aria-label={`Variant of ${path}`}
          value={chosen}
          onChange={(event) => {
            const next = Number(event.target.value);
            setChosen(next);
            onChange(initialValue(variants[next]!.schema, root, true));
          }}
        >
          {variants.map(({ title }, index) => (
            <option key={index} value={index}>
              {title.slice(0, 80)}
            </option>
          ))}
        </select>
      </label>
      <SchemaField key={chosen} {...field} schema={variant.schema} required />
    </>
  );
}

function ConstField({
  constant,
  path,
  value,
  required,
  onChange,
  ...caption
}: Omit<ShapedField, 'shape'> & { constant: unknown }) {
  const text = exactJson(constant) ?? '';
  return (
    <label className="check">
      <input
        type="checkbox"
        aria-label={path}
        checked={value !== undefined}
        disabled={required && value !== undefined}
        onChange={(event) => onChange(event.target.checked ? constant : undefined)}
      />
      <Caption {...caption} required={required} /> <code>{<Line text={text} max={120} />}</code>
    </label>
  );
}
