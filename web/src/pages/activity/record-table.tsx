import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { OperationBadge, StatusBadge } from '../../parts/badges.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { counted } from '../../../../src/lib/visible-text.ts';
import { titleOf } from './record-title.ts';
import type { RowRecord } from './use-records.ts';

const ROW_HEIGHT = 40;
const HEADS = ['Intent', 'Time', 'Tool', 'Status', 'Client', 'Duration', 'Reason'];
const MOVES: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: 15, PageUp: -15 };

interface Props {
  records: readonly RowRecord[];
  total: number | undefined;
  /** Called when the last rows come into view. */
  onEnd: () => void;
  onOpen: (id: string) => void;
}

/** Renders only the rows in view. Arrow keys move, Enter opens a record. */
export function RecordTable({ records, total, onEnd, onOpen }: Props) {
  const body = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<string>();
  const rows = useWindowVirtualizer({
    count: records.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    scrollMargin: body.current?.offsetTop ?? 0,
    getItemKey: (index) => records[index]!.id,
  });
  const items = rows.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= records.length - 30) onEnd();
  }, [last, records.length, onEnd]);

  function move(to: number): void {
    const index = Math.min(records.length - 1, Math.max(0, to));
    rows.scrollToIndex(index);
    setActive(records[index]!.id);
    // A row outside the view exists only after the list has scrolled.
    if (!focusRow(index)) requestAnimationFrame(() => focusRow(index));
  }

  function focusRow(index: number): boolean {
    const row = body.current?.querySelector<HTMLElement>(`[aria-rowindex="${index + 2}"]`);
    row?.focus();
    return row != null;
  }

  function onKey(event: KeyboardEvent, index: number): void {
    const step = MOVES[event.key];
    if (step !== undefined) move(index + step);
    else if (event.key === 'Home') move(0);
    else if (event.key === 'End') move(records.length - 1);
    else if (event.key === 'Enter' || event.key === ' ') onOpen(records[index]!.id);
    else return;
    event.preventDefault();
  }

  const focusable = active ?? records[0]?.id;
  return (
    <div role="grid" aria-label="Records" aria-rowcount={(total ?? records.length) + 1} className="records">
      <div role="row" aria-rowindex={1} className="record record-head">
        {HEADS.map((head) => (
          <span role="columnheader" key={head}>
            {head}
          </span>
        ))}
      </div>
      <div role="rowgroup" ref={body} className="records-body" style={{ height: rows.getTotalSize() }}>
        {items.map(({ index, start, key }) => {
          const record = records[index]!;
          return (
            <div
              key={key}
              role="row"
              aria-rowindex={index + 2}
              tabIndex={record.id === focusable ? 0 : -1}
              className="record"
              style={{ transform: `translateY(${start - rows.options.scrollMargin}px)` }}
              onClick={() => onOpen(record.id)}
              onFocus={() => setActive(record.id)}
              onKeyDown={(event) => onKey(event, index)}
            >
              <Cells record={record} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Cells({ record }: { record: RowRecord }) {
  const { metadata } = record;
  return (
    <>
      <span role="gridcell">
        {record.type === 'decision' ? (
          <span className="badge">decision</span>
        ) : (
          <OperationBadge operation={record.operation_type} />
        )}
      </span>
      <span role="gridcell" className="cell-time">
        <Time at={record.timestamp} />
      </span>
      <span role="gridcell" className="cell-tool mono">
        <Line text={titleOf(record)} max={120} />
        {metadata.warnings && (
          <span className="cell-warning" title={counted(metadata.warnings.length, 'warning')}>
            <Icon name="warning" />
          </span>
        )}
      </span>
      <span role="gridcell">
        <StatusBadge status={record.status} />
      </span>
      <span role="gridcell" className="cell-client muted">
        <Line text={record.client ?? record.source} max={60} />
      </span>
      <span role="gridcell" className="cell-duration muted">
        {record.duration_ms === undefined ? '–' : `${Math.round(record.duration_ms)} ms`}
      </span>
      <span role="gridcell" className="cell-reason muted">
        <Line text={record.error_message ?? metadata.intent?.reason ?? ''} max={200} />
      </span>
    </>
  );
}
