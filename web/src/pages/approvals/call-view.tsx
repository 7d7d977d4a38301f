import { Fragment, useMemo } from 'react';
import type { ApprovalDetail } from '../../../../src/contract/approval.ts';
import { exactJson, markedJson, type Segment } from '../../../../src/json/index.ts';
import { visibleText } from '../../../../src/lib/visible-text.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { colour } from '../../parts/code-view.tsx';

/** More than this is cut until somebody asks for it: a line of a megabyte would stop the browser. */
const SHOWN = 20_000;

/** How much there is to show, and whether it is too much to show at once. */
export function isLong({ arguments: args, input_responses: brought }: ApprovalDetail): boolean {
  return [args, brought].some((value) => (exactJson(value, 2)?.length ?? 0) > SHOWN);
}

interface CallViewProps {
  approval: ApprovalDetail;
  /** All of it, however long. */
  whole: boolean;
  onShowAll: () => void;
}

/** The call exactly as it will run; what is masked elsewhere is marked. */
export function CallView({ approval, whole, onShowAll }: CallViewProps) {
  const { input_responses: brought, masked_parts: parts, arguments_complete: isComplete } = approval;
  const long = useMemo(() => isLong(approval), [approval]);
  return (
    <>
      {parts.length > 0 && (
        <p className="note note-warn">
          {parts.length === 1 ? '1 part of this call is' : `${parts.length} parts of this call are`} masked in
          the log and in listings. Here you see the call as it will run, with these parts marked; that you
          have seen them is recorded.
        </p>
      )}
      <Marked
        label={isComplete ? 'Arguments' : 'Arguments (masked or cut)'}
        value={approval.arguments ?? {}}
        root="/arguments"
        approval={approval}
        whole={whole}
      />
      {brought !== undefined && (
        <Marked
          label="Answers to the server"
          value={brought}
          root="/input_responses"
          approval={approval}
          whole={whole}
        />
      )}
      {long && !whole && (
        <button type="button" onClick={onShowAll}>
          Show the whole call
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
  // Quotes that do not pair, in the middle of a text or at a cut, would take for ever to colour.
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
            <mark key={index} className="masked" data-kind={kind} title={`masked elsewhere: ${kind}`}>
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

/** The pieces that hold the first characters. */
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
