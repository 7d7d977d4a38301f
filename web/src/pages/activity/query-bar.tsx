import { useId, useRef, useState, type KeyboardEvent } from 'react';
import {
  CLAUSE_VALUES,
  type ActivityBreakdown,
  activityFilterProblem,
  CLAUSE_FIELDS,
  fieldNamed,
  filterText,
} from '../../../../src/contract/activity.ts';
import { Line } from '../../parts/untrusted.tsx';

interface Props {
  filter: string;
  /** Values of the records in view, to complete. */
  fields: ActivityBreakdown['fields'] | undefined;
  onChange: (filter: string) => void;
}

const TIMES = ['1h', '24h', '7d', '30d', 'today', 'yesterday'];
const MAX_OPTIONS = 8;

/** The filter as text, with completion of fields and values. */
export function QueryBar({ filter, fields, onChange }: Props) {
  const [typed, setTyped] = useState(filter);
  const [from, setFrom] = useState(filter);
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const [caret, setCaret] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  if (from !== filter) {
    setFrom(filter);
    setTyped(filter);
  }
  const problem = activityFilterProblem(typed);
  const token = tokenAt(typed, caret);
  const options = isOpen ? completions(token.text, fields) : [];

  function apply(text: string): void {
    setOpen(false);
    if (activityFilterProblem(text) === undefined) onChange(text.trim());
  }

  function complete(option: string): void {
    const text = typed.slice(0, token.start) + option + typed.slice(token.end);
    setTyped(text);
    setActive(-1);
    const end = token.start + option.length;
    setCaret(end);
    if (!option.endsWith(':')) apply(text);
    input.current?.focus();
    requestAnimationFrame(() => input.current?.setSelectionRange(end, end));
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && options.length > 0) setActive((active + step + options.length) % options.length);
    else if (event.key === 'Enter') {
      const option = options[active];
      if (option === undefined) apply(typed);
      else complete(option);
    } else if (event.key === 'Escape' && isOpen) setOpen(false);
    else return;
    event.preventDefault();
  }

  return (
    <form
      role="search"
      aria-label="Filter records"
      className="query"
      onSubmit={(event) => event.preventDefault()}
    >
      <label className="field query-field">
        <span>Filter</span>
        <input
          ref={input}
          role="combobox"
          aria-expanded={options.length > 0}
          aria-controls={`${id}-options`}
          aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : `${id}-problem`}
          autoComplete="off"
          spellCheck={false}
          maxLength={2000}
          placeholder="agent:cursor op:destructive -status:success since:7d words"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setCaret(event.target.selectionStart ?? event.target.value.length);
            setOpen(true);
            setActive(-1);
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
          onFocus={() => setOpen(true)}
          onBlur={() => apply(typed)}
          onKeyDown={onKeyDown}
        />
      </label>
      <ul
        role="listbox"
        id={`${id}-options`}
        aria-label="Completions"
        className="query-options"
        hidden={options.length === 0}
      >
        {options.map((option, index) => (
          <li
            key={option}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onPointerDown={(event) => {
              event.preventDefault(); // the input keeps the focus
              complete(option);
            }}
          >
            <Line text={option} max={120} />
          </li>
        ))}
      </ul>
      {problem !== undefined && (
        <p className="query-problem" id={`${id}-problem`} role="alert">
          <Line text={problem} />
        </p>
      )}
    </form>
  );
}

/** The part of the text between spaces at the caret. */
function tokenAt(text: string, caret: number): { text: string; start: number; end: number } {
  const start = text.lastIndexOf(' ', caret - 1) + 1;
  const space = text.indexOf(' ', caret);
  const end = space < 0 ? text.length : space;
  return { text: text.slice(start, end), start, end };
}

function completions(token: string, fields: Props['fields']): string[] {
  const minus = token.startsWith('-') ? '-' : '';
  const [name = '', values] = token.slice(minus.length).split(/:(.*)/s);
  if (values === undefined) return fieldNames(name.toLowerCase(), minus);
  if (name === 'since' || name === 'until')
    return TIMES.filter((time) => time.startsWith(values)).map((time) => `${minus}${name}:${time}`);
  const field = fieldNamed(name);
  if (!field) return [];
  const before = values.slice(0, values.lastIndexOf(',') + 1);
  const begun = values.slice(before.length).toLowerCase();
  const fixed = field in CLAUSE_VALUES ? CLAUSE_VALUES[field as keyof typeof CLAUSE_VALUES] : [];
  const seen = fields?.[field as keyof typeof fields]?.map(({ value }) => value) ?? [];
  return [...new Set<string>([...seen, ...fixed])]
    .filter((value) => value.toLowerCase().includes(begun) && value.toLowerCase() !== begun)
    .slice(0, MAX_OPTIONS)
    .map((value) => minus + written(field, before, value));
}

const fieldNames = (begun: string, minus: string): string[] =>
  [...CLAUSE_FIELDS, ...(minus === '' ? ['since', 'until'] : [])]
    .filter((name) => name.startsWith(begun))
    .slice(0, MAX_OPTIONS)
    .map((name) => `${minus}${name}:`);

const written = (field: (typeof CLAUSE_FIELDS)[number], before: string, value: string): string => {
  const one = filterText({ clauses: [{ field, values: [value], exclude: false }], words: [] });
  return `${field}:${before}${one.slice(field.length + 1)}`;
};
