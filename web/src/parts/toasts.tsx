import { useEffect, useState, useSyncExternalStore } from 'react';
import { visibleText } from '../../../src/lib/visible-text.ts';
import { Icon } from './icon.tsx';

interface Toast {
  id: number;
  text: string;
  isProblem: boolean;
  /** Takes the change back. */
  undo?: () => Promise<unknown>;
}

/** Long enough to read a sentence and to reach the button. */
const SHOWN_MS = 10_000;
const MAX_SHOWN = 3;
const watchers = new Set<() => void>();
let toasts: readonly Toast[] = [];
let nextId = 1;

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const watcher of watchers) watcher();
}

/** Says what was done, with a button that takes it back where that is possible. */
export function showToast(text: string, undo?: () => Promise<unknown>): void {
  add({ text, isProblem: false, ...(undo && { undo }) });
}

/** Says that something was not done. It stays until it is dismissed. */
export const showProblem = (text: string): void => add({ text, isProblem: true });

function add(toast: Omit<Toast, 'id'>): void {
  set([...toasts, { ...toast, id: nextId++ }].slice(-MAX_SHOWN));
}

const dismiss = (id: number): void => set(toasts.filter((toast) => toast.id !== id));

export function Toasts() {
  const shown = useSyncExternalStore(
    (changed) => {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
    () => toasts,
  );
  return (
    <div className="toasts" role="status">
      {shown.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastCard({ toast: { id, text, isProblem, undo } }: { toast: Toast }) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld || isProblem) return undefined;
    const timer = setTimeout(() => dismiss(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, isHeld, isProblem]);

  function takeBack(): void {
    dismiss(id);
    undo?.().then(
      () => showToast('Undone.'),
      (error: unknown) =>
        showProblem(`Not undone: ${error instanceof Error ? error.message : String(error)}`),
    );
  }

  return (
    <div
      className={isProblem ? 'toast toast-bad' : 'toast'}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span>{visibleText(text)}</span>
      {undo && (
        <button type="button" onClick={takeBack}>
          Undo
        </button>
      )}
      <button type="button" className="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
        <Icon name="close" />
      </button>
    </div>
  );
}
