import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState, type CSSProperties, type KeyboardEvent, type ReactNode } from 'react';
import { OperationBadge, StatusBadge } from '../../parts/badges.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Time } from '../../parts/time.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { counted } from '../../../../src/lib/visible-text.ts';
import type { ColumnName } from './columns.tsx';
import { recordTitle } from '../../parts/record-title.ts';
import type { RowRecord } from './use-records.ts';

const ROW_HEIGHT = 40;
const WIDTHS: Record<ColumnName, string> = {
  Time: '92px',
  Status: '92px',
  Agent: 'minmax(60px, 1fr)',
  Client: 'minmax(60px, 1fr)',
  Duration: '72px',
  Code: 'minmax(90px, 1fr)',
  Reason: 'minmax(60px, 3fr)',
};
const gridOf = (columns: readonly ColumnName[]) =>
  ({
    '--columns': ['118px', 'minmax(120px, 2fr)', ...columns.map((name) => WIDTHS[name])].join(' '),
  }) as CSSProperties;
const MOVES: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: 15, PageUp: -15 };

interface Props {
  records: readonly RowRecord[];
  total: number | undefined;
  columns: readonly ColumnName[];
  /** Called when the last rows come into view. */
  onEnd: () => void;
  onOpen: (id: string) => void;
}

/** Renders only the rows in view. Arrow keys move, Enter opens a record. */
export function RecordTable({ records, total, columns, onEnd, onOpen }: Props) {
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
    <div
      role="grid"
      aria-label="Records"
      aria-rowcount={(total ?? records.length) + 1}
      className="records"
      style={gridOf(columns)}
    >
      <div role="row" aria-rowindex={1} className="record record-head">
        {['Intent', 'Tool', ...columns].map((head) => (
          <span role="columnheader" key={head} className={`cell-${head.toLowerCase()}`}>
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
              <Cells record={record} columns={columns} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Cells({ record, columns }: { record: RowRecord; columns: readonly ColumnName[] }) {
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
      <span role="gridcell" className="cell-tool mono">
        <Line text={recordTitle(record)} max={120} />
        {metadata.warnings && (
          <span className="cell-warning" title={counted(metadata.warnings.length, 'warning')}>
            <Icon name="warning" />
          </span>
        )}
      </span>
      {columns.map((name) => (
        <span key={name} role="gridcell" className={`cell-${name.toLowerCase()} muted`}>
          {CELLS[name](record)}
        </span>
      ))}
    </>
  );
}

const CELLS: Record<ColumnName, (record: RowRecord) => ReactNode> = {
  Time: ({ timestamp }) => <Time at={timestamp} />,
  Status: ({ status }) => <StatusBadge status={status} />,
  Agent: ({ principal }) => <Line text={principal ?? '–'} max={60} />,
  Client: ({ client, source }) => <Line text={client ?? source} max={60} />,
  Duration: ({ duration_ms: ms }) => (ms === undefined ? '–' : `${Math.round(ms)} ms`),
  Code: ({ error_code: code }) => <Line text={code ?? '–'} max={60} />,
  Reason: ({ error_message: message, metadata }) => (
    <Line text={message ?? metadata.intent?.reason ?? ''} max={200} />
  ),
};
