import { useState, type ReactNode } from 'react';
import { exactJson, exactNumber, parseExact, type JsonObject } from '../../../../src/json/index.ts';
import type { FieldProps, ShapedField } from './form-context.ts';
import type { Shape } from './shape.ts';
import { TextInput } from './text-input.tsx';

/** A field for one value. */
export function Input({ shape, path, schema, value, required, onChange }: ShapedField): ReactNode {
  const shared = { path, required, onChange };
  if (shape.kind === 'text')
    return <TextInput {...shared} shape={shape} example={exampleOf(schema)} value={textOf(value)} />;
  if (shape.kind === 'number') return <NumberInput {...shared} shape={shape} value={value} />;
  if (shape.kind === 'boolean') return <ChoiceInput {...shared} choices={[true, false]} value={value} />;
  if (shape.kind === 'choice') return <ChoiceInput {...shared} choices={shape.choices} value={value} />;
  return <JsonInput {...shared} value={value} />;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : (exactJson(value) ?? ''));

function exampleOf({ examples }: JsonObject): string | undefined {
  const example: unknown = Array.isArray(examples) ? examples[0] : undefined;
  return example === undefined ? undefined : textOf(example).slice(0, 100);
}

type InputProps = Pick<FieldProps, 'path' | 'value' | 'required' | 'onChange'>;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function NumberInput({
  shape: { isInteger, minimum, maximum },
  path,
  value,
  required,
  onChange,
}: InputProps & { shape: Extract<Shape, { kind: 'number' }> }) {
  // What is typed may not be a number yet, as "-".
  const [typed, setTyped] = useState(() => textOf(value));
  const problem = typed === '' || NUMBER.test(typed) ? '' : 'Enter a number, as 12 or -0.5';
  const range = [
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && `at most ${maximum}`,
  ];
  return (
    <input
      ref={(input) => input?.setCustomValidity(problem)}
      aria-label={path}
      value={typed}
      required={required}
      inputMode={isInteger ? 'numeric' : 'decimal'}
      placeholder={range.filter(Boolean).join(', ') || undefined}
      onChange={({ target }) => {
        setTyped(target.value);
        if (target.value === '') onChange(undefined);
        else onChange(NUMBER.test(target.value) ? exactNumber(target.value) : target.value);
      }}
    />
  );
}

function ChoiceInput({ choices, path, value, required, onChange }: InputProps & { choices: unknown[] }) {
  const texts = choices.map((choice) => exactJson(choice) ?? '');
  const chosen = value === undefined ? -1 : texts.indexOf(exactJson(value) ?? '');
  return (
    <select
      aria-label={path}
      required={required}
      value={chosen === -1 ? '' : chosen}
      onChange={({ target }) => onChange(target.value === '' ? undefined : choices[Number(target.value)])}
    >
      <option value="">–</option>
      {choices.map((choice, index) => (
        <option key={texts[index]} value={index}>
          {textOf(choice).slice(0, 120)}
        </option>
      ))}
    </select>
  );
}

function JsonInput({ path, value, required, onChange }: InputProps) {
  const [typed, setTyped] = useState(() => (value === undefined ? '' : (exactJson(value, 2) ?? '')));
  const read = readJson(typed);
  return (
    <textarea
      ref={(input) => input?.setCustomValidity(read.problem)}
      aria-label={path}
      className="mono"
      rows={3}
      required={required}
      placeholder='JSON, as ["a", "b"] or {"key": 1}'
      value={typed}
      onChange={({ target }) => {
        setTyped(target.value);
        const next = readJson(target.value);
        if (next.problem === '') onChange(next.value);
      }}
    />
  );
}

/** JSON that a person types. Empty text: nothing. */
export function readJson(text: string): { value?: unknown; problem: string } {
  if (text.trim() === '') return { problem: '' };
  try {
    return { value: parseExact(text), problem: '' };
  } catch (error) {
    return { problem: `This is not valid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
