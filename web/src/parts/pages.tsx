import { counted } from '../../../src/lib/visible-text.ts';

export interface PagesProps {
  next: string | null | undefined;
  total: number | undefined;
  /** The cursors of the pages before and including this one. */
  cursors: readonly string[];
  onChange: (cursors: string[]) => void;
  /** What is counted, as in "tool". */
  what: string;
}

/** Previous and next page of a list, and how many entries there are. */
export function Pages({ next, total, cursors, onChange, what }: PagesProps) {
  return (
    <div className="row">
      {cursors.length > 0 && (
        <button type="button" onClick={() => onChange(cursors.slice(0, -1))}>
          Previous
        </button>
      )}
      {typeof next === 'string' && (
        <button type="button" onClick={() => onChange([...cursors, next])}>
          Next
        </button>
      )}
      <span className="muted">{total !== undefined && counted(total, what)}</span>
    </div>
  );
}
