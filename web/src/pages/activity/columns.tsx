import { useState } from 'react';

export const COLUMNS = ['Time', 'Status', 'Agent', 'Client', 'Duration', 'Code', 'Reason'] as const;
export type ColumnName = (typeof COLUMNS)[number];

const KEY = 'mcpproxy columns';
const FIRST: readonly ColumnName[] = ['Time', 'Status', 'Agent', 'Client', 'Reason'];

/** The columns that this browser shows, beside the operation and the tool. */
export function useColumns(): [readonly ColumnName[], (columns: readonly ColumnName[]) => void] {
  const [columns, setColumns] = useState(load);
  return [
    columns,
    (next) => {
      setColumns(next);
      try {
        localStorage.setItem(KEY, JSON.stringify(next));
      } catch {
        // A browser without storage keeps them until the page is closed.
      }
    },
  ];
}

function load(): readonly ColumnName[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    return Array.isArray(stored) ? COLUMNS.filter((name) => stored.includes(name)) : FIRST;
  } catch {
    return FIRST;
  }
}

interface Props {
  columns: readonly ColumnName[];
  onChange: (columns: readonly ColumnName[]) => void;
}

export function ColumnChoice({ columns, onChange }: Props) {
  return (
    <details className="column-choice">
      <summary className="button">Columns</summary>
      <fieldset>
        <legend className="sr-only">Columns</legend>
        {COLUMNS.map((name) => (
          <label key={name} className="check">
            <input
              type="checkbox"
              checked={columns.includes(name)}
              onChange={() =>
                onChange(
                  COLUMNS.filter((each) =>
                    each === name ? !columns.includes(each) : columns.includes(each),
                  ),
                )
              }
            />
            {name}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
