import { Fragment, useMemo } from 'react';
import type { ApprovalDetail } from '../../../../src/contract/approval.ts';
import { exactJson, markedJson, type Segment } from '../../../../src/json/index.ts';
import { visibleText } from '../../../../src/lib/visible-text.ts';
import { CopyButton } from '../../parts/buttons.tsx';
import { colour } from '../../parts/code-view.tsx';

/** Longer calls are truncated until the person asks for the rest: a line of a megabyte would freeze the browser. */
const SHOWN = 20_000;

/** Whether the call is too long to be shown at once. */
export function isLong({ arguments: args, input_responses: brought }: ApprovalDetail): boolean {
  return [args, brought].some((value) => (exactJson(value, 2)?.length ?? 0) > SHOWN);
}

interface CallViewProps {
  approval: ApprovalDetail;
  /** Show the full call, however long. */
  whole: boolean;
  onShowAll: () => void;
}

/** The call exactly as it will run. Parts that are masked in the log are highlighted. */
export function CallView({ approval, whole, onShowAll }: CallViewProps) {
  const { input_responses: brought, masked_parts: parts, arguments_complete: isComplete } = approval;
  const long = useMemo(() => isLong(approval), [approval]);
  return (
    <>
      {parts.length > 0 && (
        <p className="note note-warn">
          {parts.length === 1 ? '1 part of this call is' : `${parts.length} parts of this call are`} masked in
          the log and in lists. {parts.length === 1 ? 'It is' : 'They are'} shown and highlighted here, and
          the log records that you viewed {parts.length === 1 ? 'it' : 'them'}.
        </p>
      )}
      <Marked
        label={isComplete ? 'Arguments' : 'Arguments (masked or truncated)'}
        value={approval.arguments ?? {}}
        root="/arguments"
        approval={approval}
        whole={whole}
      />
      {brought !== undefined && (
        <Marked
          label="Responses to the server"
          value={brought}
          root="/input_responses"
          approval={approval}
          whole={whole}
        />
      )}
      {long && !whole && (
        <button type="button" onClick={onShowAll}>
          Show the full call
        </button>
      )}
    </>
  );
}

interface MarkedProps {
  label: string;
  value: unknown;
  root: string;
  approval: ApprovalDetail;
  whole: boolean;
}

function Marked({ label, value, root, approval: { masked_parts: parts }, whole }: MarkedProps) {
  const segments = useMemo(() => markedJson(value, parts, root), [value, parts, root]);
  const shown = useMemo(() => (whole ? segments : firstOf(segments, SHOWN)), [segments, whole]);
  const text = useMemo(() => exactJson(value, 2) ?? '', [value]);
  const isCut = shown !== segments && text.length > SHOWN;
  // Matching unbalanced quotes, as in a truncated text, takes quadratic time: show such text without highlighting.
  const isPlain = segments.length > 1 || text.length > SHOWN;
  return (
    <figure className="code call">
      <figcaption>
        <span>{isCut ? `${label} (the first ${SHOWN.toLocaleString('en')} characters)` : label}</span>
        <CopyButton text={text} />
      </figcaption>
      <pre tabIndex={0} aria-label={label}>
        {shown.map(({ text: part, kind }, index) =>
          kind === undefined ? (
            <Fragment key={index}>{isPlain ? visibleText(part) : <Coloured text={part} />}</Fragment>
          ) : (
            <mark key={index} className="masked" data-kind={kind} title={`Masked in the log: ${kind}`}>
              {visibleText(part)}
            </mark>
          ),
        )}
      </pre>
    </figure>
  );
}

function Coloured({ text }: { text: string }) {
  return colour(visibleText(text)).map(({ kind, text: part }, index) =>
    kind === 'plain' ? (
      part
    ) : (
      <span key={index} className={`code-${kind}`}>
        {part}
      </span>
    ),
  );
}

/** The segments that contain the first `room` characters. */
function firstOf(segments: readonly Segment[], room: number): Segment[] {
  const first: Segment[] = [];
  let left = room;
  for (const segment of segments) {
    if (left <= 0) break;
    first.push({ ...segment, text: segment.text.slice(0, left) });
    left -= segment.text.length;
  }
  return first;
}
