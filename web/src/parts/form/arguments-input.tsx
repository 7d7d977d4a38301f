import { useState } from 'react';
import { exactJson, isObject, type JsonObject } from '../../../../src/json/index.ts';
import { Choice } from '../choice.tsx';
import { readJson } from './inputs.tsx';
import { SchemaForm } from './schema-form.tsx';

const WAYS = { form: 'Form', json: 'JSON' } as const;

interface Props {
  title?: string;
  schema: JsonObject;
  value: JsonObject;
  onChange: (value: JsonObject) => void;
}

/** An object as a form of its schema, or as JSON. */
export function ArgumentsInput({ title = 'Arguments', schema, value, onChange }: Props) {
  const [way, setWay] = useState<keyof typeof WAYS>('form');
  const [text, setText] = useState('');
  const problem = way === 'json' ? problemOf(text) : '';

  function choose(next: keyof typeof WAYS): void {
    // What cannot be read stays in view.
    if (problem !== '') return;
    if (next === 'json') setText(exactJson(value, 2) ?? '{}');
    setWay(next);
  }

  return (
    <div className="stack">
      <div className="row row-apart">
        <h4>{title}</h4>
        <Choice label={`${title} as`} options={WAYS} value={way} onChange={choose} />
      </div>
      {way === 'form' ? (
        <SchemaForm schema={schema} value={value} onChange={onChange} />
      ) : (
        <label className="field">
          <span>{title} as JSON</span>
          <textarea
            ref={(input) => input?.setCustomValidity(problem)}
            className="mono"
            rows={8}
            spellCheck={false}
            value={text}
            aria-invalid={problem !== ''}
            onChange={({ target }) => {
              setText(target.value);
              const read = readJson(target.value);
              if (problemOf(target.value) === '') onChange((read.value ?? {}) as JsonObject);
            }}
          />
          {problem !== '' && (
            <span className="note-inline-bad" role="alert">
              {problem}
            </span>
          )}
        </label>
      )}
    </div>
  );
}

function problemOf(text: string): string {
  const { value, problem } = readJson(text);
  if (problem !== '') return problem;
  return value === undefined || isObject(value) ? '' : 'This must be an object, as in {"key": 1}';
}
