import { useQuery } from '@tanstack/react-query';
import { useState, type CSSProperties, type KeyboardEvent } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { type ActivityPage, type ActivityRecord, filterText } from '../../../../src/contract/activity.ts';
import type { ApprovalStatus } from '../../../../src/contract/approval.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { OperationBadge, StatusBadge } from '../../parts/badges.tsx';
import { CodeView } from '../../parts/code-view.tsx';
import { Empty, Fetched } from '../../parts/states.tsx';
import { ExactTime } from '../../parts/time.tsx';
import { Line, Paragraph } from '../../parts/untrusted.tsx';
import { client, useApi } from '../../session/api.ts';
import { recordTitle } from '../../parts/record-title.ts';
import { durationText, timelineOf, type Place, type Span } from './timeline.ts';
import './session.css';

const MAX_PAGES = 5;
const PAGE = 100;

type TraceRecord = Omit<ActivityRecord, 'arguments' | 'response'>;

/** The records of a session, oldest first; of a long one the newest. */
async function loadSession(
  id: string,
  signal: AbortSignal,
): Promise<{ records: TraceRecord[]; total: number }> {
  const records: TraceRecord[] = [];
  let cursor: string | undefined;
  let total = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const input = { session_id: id, limit: PAGE, cursor, payloads: 'false' as const };
    const loaded: ActivityPage = await client.request('listActivity', input, signal);
    if (page === 0) total = loaded.total;
    records.push(...loaded.records);
    if (loaded.next_cursor === null) break;
    cursor = loaded.next_cursor;
  }
  return { records: records.reverse(), total };
}

/** One session of an agent as a trace: its calls in order, with what was refused and how long it waited. */
export default function SessionPage() {
  const id = new URLSearchParams(useSearch()).get('id') ?? '';
  const query = useQuery({
    queryKey: ['listActivity', 'trace', id],
    queryFn: ({ signal }) => loadSession(id, signal),
  });
  const filter = filterText({ clauses: [{ field: 'session', values: [id], exclude: false }], words: [] });
  return (
    <>
      <div className="row row-apart">
        <h1>Session</h1>
        <Link className="button quiet" href={`/activity?${new URLSearchParams({ filter })}`}>
          Show as a list
        </Link>
      </div>
      <Fetched query={query} what="the session">
        {({ records, total }) =>
          records.length === 0 ? (
            <Empty title="No records of this session" />
          ) : (
            <>
              <Facts records={records} total={total} />
              <Trace records={records} />
            </>
          )
        }
      </Fetched>
    </>
  );
}

function Facts({ records, total }: { records: readonly TraceRecord[]; total: number }) {
  const [first, last] = [records[0]!, records.at(-1)!];
  const refused = records.filter(({ status }) => status === 'refused' || status === 'denied').length;
  const principal = records.find((record) => record.principal !== undefined)?.principal;
  return (
    <p className="muted">
      {principal !== undefined && (
        <>
          <Link href={`/agent?name=${encodeURIComponent(principal)}`}>
            <Line text={principal} max={80} />
          </Link>
          {', '}
        </>
      )}
      <Line text={last.client ?? last.source} max={80} />: {counted(total, 'record')}, {refused} refused, from{' '}
      <ExactTime at={first.timestamp} /> to <ExactTime at={last.timestamp} />
      {records.length < total && <>; the newest {records.length} are shown</>}
    </p>
  );
}

const spanOf = ({ timestamp, duration_ms: ms = 0 }: TraceRecord): Span => {
  const start = Date.parse(timestamp);
  return { start, end: start + Math.max(1, ms) };
};
/** A shorter pause has no room for its duration. */
const WIDE_ENOUGH = 0.06;
const STEPS: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

function Trace({ records }: { records: readonly TraceRecord[] }) {
  const search = useSearch();
  const [here, navigate] = useLocation();
  const [first] = useState(records[0]!.id);
  const chosen = new URLSearchParams(search).get('record') ?? first;
  const { placeOf, gaps } = timelineOf(records.map(spanOf));

  function choose(id: string): void {
    const params = new URLSearchParams(search);
    params.set('record', id);
    navigate(`${here}?${params}`, { replace: true });
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = records[records.findIndex(({ id }) => id === chosen) + step];
    if (!next) return;
    choose(next.id);
    event.currentTarget.querySelector<HTMLElement>(`[data-record="${next.id}"]`)?.focus();
  }

  return (
    <div className="trace-page">
      <div
        className="trace"
        role="listbox"
        aria-label="Calls of the session"
        tabIndex={-1}
        onKeyDown={onKeyDown}
      >
        <div className="trace-gaps" aria-hidden="true">
          {gaps.map(({ left, width, ms }) => (
            <span key={left} className="trace-gap" style={placed({ left, width })}>
              {width > WIDE_ENOUGH && durationText(ms)}
            </span>
          ))}
        </div>
        {records.map((record) => (
          <TraceRow
            key={record.id}
            record={record}
            place={placeOf(spanOf(record))}
            isChosen={record.id === chosen}
            onChoose={() => choose(record.id)}
          />
        ))}
      </div>
      <Detail id={chosen} />
    </div>
  );
}

interface RowProps {
  record: TraceRecord;
  place: Place;
  isChosen: boolean;
  onChoose: () => void;
}

const FAILED: ReadonlySet<string> = new Set(['refused', 'denied', 'expired']);

const placed = ({ left, width }: Place) => ({ '--left': left, '--width': width }) as CSSProperties;

function TraceRow({ record, place: { left, width }, isChosen, onChoose }: RowProps) {
  const { id, status, operation_type: operation, duration_ms: ms } = record;
  const look = FAILED.has(status) ? 'refused' : (operation ?? 'other');
  return (
    <div
      role="option"
      aria-selected={isChosen}
      tabIndex={isChosen ? 0 : -1}
      data-record={id}
      className="trace-row"
      onClick={onChoose}
    >
      <span className="trace-name mono">
        <Line text={recordTitle(record)} max={80} />
      </span>
      <span className="trace-line">
        <span className={`trace-bar trace-${look}`} style={placed({ left, width })} />
      </span>
      <span className="muted">{status === 'success' ? durationText(ms ?? 0) : status}</span>
    </div>
  );
}

/** What became of an approved call later is told by its record. */
const decisionText = (status: ApprovalStatus) =>
  status === 'denied' || status === 'cancelled' ? status : 'approved';

/** What the chosen call sent and received. */
function Detail({ id }: { id: string }) {
  const record = useApi('getActivity', { id });
  const approvalId = record.data?.approval_id;
  const approval = useApi('getApproval', { id: approvalId ?? '' }, { enabled: approvalId !== undefined });
  const data = record.data?.id === id ? record.data : undefined;
  return (
    <aside className="stack trace-detail" aria-label="Chosen call">
      <Fetched query={{ ...record, data }} what="the call">
        {(loaded) => (
          <>
            <div className="row">
              <OperationBadge operation={loaded.operation_type} />
              <StatusBadge status={loaded.status} />
              <Link href={`/activity?record=${loaded.id}`}>Record</Link>
            </div>
            {approval.data?.id === approvalId && approval.data?.decided_at !== undefined && (
              <p className="muted">
                Waited{' '}
                {durationText(Date.parse(approval.data.decided_at) - Date.parse(approval.data.created_at))}{' '}
                for a person: {decisionText(approval.data.status)} by{' '}
                <Line text={approval.data.decided_by ?? '?'} max={60} />
              </p>
            )}
            {loaded.metadata.intent?.reason !== undefined && (
              <Paragraph text={loaded.metadata.intent.reason} />
            )}
            {loaded.error_message !== undefined && (
              <div className="note note-bad">
                <Paragraph text={loaded.error_message} />
              </div>
            )}
            {loaded.arguments !== undefined && <CodeView label="Arguments" value={loaded.arguments} />}
            {loaded.response !== undefined && <CodeView label="Response" value={loaded.response} />}
          </>
        )}
      </Fetched>
    </aside>
  );
}
