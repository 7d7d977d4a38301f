import { useState } from 'react';
import { showToast } from '../../parts/toasts.tsx';

const KEY = 'mcpproxy views';
const MAX_VIEWS = 20;

interface View {
  name: string;
  filter: string;
}

const SUGGESTED: readonly View[] = [
  { name: 'Refused today', filter: 'status:refused,denied since:24h' },
  { name: 'Destroyed this week', filter: 'op:destructive status:success since:7d' },
  { name: 'Failing', filter: 'status:error,unknown since:24h' },
];

/** Filters that this browser keeps under a name. */
export function SavedViews({ filter, onChange }: { filter: string; onChange: (filter: string) => void }) {
  const [saved, setSaved] = useState(load);
  const [name, setName] = useState<string>();

  function keep(next: View[]): void {
    setSaved(next);
    try {
      localStorage.setItem(KEY, JSON.stringify(next));
    } catch {
      // A browser without storage keeps them until the page is closed.
    }
  }

  function save(): void {
    const trimmed = name?.trim() ?? '';
    setName(undefined);
    if (trimmed === '') return;
    keep([...saved.filter((view) => view.name !== trimmed), { name: trimmed, filter }].slice(-MAX_VIEWS));
  }

  function remove(view: View): void {
    keep(saved.filter((each) => each !== view));
    showToast(`The view “${view.name}” was removed.`, async () => keep(saved));
  }

  return (
    <div className="row views" role="group" aria-label="Views">
      {[...SUGGESTED, ...saved].map((view) => (
        <span key={view.name} className="view">
          <button
            type="button"
            aria-pressed={view.filter === filter}
            onClick={() => onChange(view.filter === filter ? '' : view.filter)}
          >
            {view.name}
          </button>
          {saved.includes(view) && (
            <button
              type="button"
              className="quiet"
              aria-label={`Remove ${view.name}`}
              onClick={() => remove(view)}
            >
              ×
            </button>
          )}
        </span>
      ))}
      {name === undefined ? (
        <button type="button" className="quiet" disabled={filter === ''} onClick={() => setName('')}>
          Save view…
        </button>
      ) : (
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          <input
            aria-label="Name of the view"
            value={name}
            maxLength={60}
            autoFocus
            onChange={(event) => setName(event.target.value)}
          />
          <button type="submit" className="primary">
            Save
          </button>
        </form>
      )}
    </div>
  );
}

function load(): View[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isView).slice(0, MAX_VIEWS) : [];
  } catch {
    return [];
  }
}

function isView(value: unknown): value is View {
  const { name, filter } = (value ?? {}) as Partial<Record<keyof View, unknown>>;
  return typeof name === 'string' && typeof filter === 'string';
}
