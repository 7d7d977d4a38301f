import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { actionOf, type ActivityRecord, type ClauseField } from '../../../../src/contract/activity.ts';
import { exactJson } from '../../../../src/json/index.ts';
import { OperationBadge, StatusBadge } from '../../parts/badges.tsx';
import { CodeView } from '../../parts/code-view.tsx';
import { DownloadButton } from '../../parts/buttons.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { Fetched } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line, Paragraph } from '../../parts/untrusted.tsx';
import { useApi } from '../../session/api.ts';
import { BlocksView } from '../../parts/result/blocks-view.tsx';
import { blocksOfResult } from '../../parts/result/blocks.ts';
import { withValue, type Choice } from './filter-url.ts';
import { recordTitle } from '../../parts/record-title.ts';

interface Props {
  id: string;
  filter: string;
  onClose: () => void;
  onFilter: (filter: string) => void;
  /** To the next record of the list, or the one before. */
  onStep: (step: 1 | -1) => void;
}

const STEPS: Record<string, 1 | -1> = { j: 1, k: -1 };

/** One record of the log with all its fields. `j` and `k` step through the list. */
export function RecordDrawer({ id, filter, onClose, onFilter, onStep }: Props) {
  const record = useApi('getActivity', { id });
  const step = useRef(onStep);
  useEffect(() => {
    step.current = onStep;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const direction = STEPS[event.key];
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, select, textarea');
      if (direction === undefined || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      // The row behind the dialog must not move as well.
      event.stopPropagation();
      step.current(direction);
    };
    document.addEventListener('keydown', onKey, true);
    return () => document.removeEventListener('keydown', onKey, true);
  }, []);
  const data = record.data?.id === id ? record.data : undefined;
  return (
    <Drawer title={data ? <Line text={recordTitle(data)} /> : 'Record'} onClose={onClose}>
      <div className="row">
        <button type="button" className="quiet" onClick={() => onStep(-1)}>
          Previous <kbd>k</kbd>
        </button>
        <button type="button" className="quiet" onClick={() => onStep(1)}>
          Next <kbd>j</kbd>
        </button>
      </div>
      <Fetched query={{ ...record, data }} what="the record">
        {(loaded) => <Detail record={loaded} filter={filter} onFilter={onFilter} />}
      </Fetched>
    </Drawer>
  );
}

type DetailProps = { record: ActivityRecord } & Pick<Props, 'filter' | 'onFilter'>;

function Detail({ record, filter, onFilter }: DetailProps) {
  const { metadata } = record;
  return (
    <>
      <div className="row">
        {record.type === 'decision' ? (
          <span className="badge">decision</span>
        ) : (
          <OperationBadge operation={record.operation_type} />
        )}
        <StatusBadge status={record.status} />
        <Time at={record.timestamp} />
        {record.duration_ms !== undefined && (
          <span className="muted">{Math.round(record.duration_ms)} ms</span>
        )}
        <CallAgain record={record} />
        <DownloadButton name={`${record.id}.json`} text={() => exactJson(record, 2) ?? ''} />
      </div>
      {record.error_message !== undefined && (
        <div className="note note-bad">
          {record.error_code && <strong>{record.error_code}: </strong>}
          <Paragraph text={record.error_message} />
        </div>
      )}
      {metadata.warnings?.map((warning) => (
        <div className="note note-warn" key={warning}>
          <Paragraph text={warning} />
        </div>
      ))}
      <Intent record={record} />
      <ApprovalTrail record={record} />
      <Facts record={record} filter={filter} onFilter={onFilter} />
      {record.arguments !== undefined && (
        <CodeView
          label={metadata.arguments_truncated ? 'Arguments (cut)' : 'Arguments'}
          value={record.arguments}
        />
      )}
      {record.response !== undefined && (
        <CodeView label={record.response_truncated ? 'Response (cut)' : 'Response'} value={record.response} />
      )}
      <Media response={record.response} />
      <CodeView label="Metadata" value={metadata} />
      <ChainEntries id={record.id} />
    </>
  );
}

/** Images and sound of a response: its JSON does not show them. */
function Media({ response }: { response: unknown }) {
  const media = blocksOfResult(response).filter(({ kind }) => kind === 'image' || kind === 'audio');
  return <BlocksView blocks={media} />;
}

/** Opens the form of the tool with the arguments of this call. */
function CallAgain({
  record: { id, type, server_name: server, tool_name: tool },
}: {
  record: ActivityRecord;
}) {
  if (type !== 'tool_call' || !server || !tool) return null;
  const query = new URLSearchParams({ tool: `${server}:${tool}`, record: id });
  return <Link href={`/tools?${query.toString()}`}>Call again…</Link>;
}

function Intent({ record: { metadata, operations } }: { record: ActivityRecord }) {
  const { intent, tool_variant: variant } = metadata;
  if (!intent && !variant) return null;
  return (
    <section>
      <h3>Declared intent</h3>
      <dl className="facts">
        <dt>Variant</dt>
        <dd className="mono">{variant ?? '–'}</dd>
        <dt>Operation</dt>
        <dd>
          <OperationBadge operation={intent?.operation_type} />
        </dd>
        <dt>Verdict of the tool</dt>
        <dd>
          <OperationBadge operation={operations?.verdict} />
        </dd>
        <dt>Sensitivity</dt>
        <dd>{intent?.data_sensitivity ?? 'unknown'}</dd>
        <dt>Reason</dt>
        <dd>{intent?.reason === undefined ? '–' : <Paragraph text={intent.reason} />}</dd>
      </dl>
    </section>
  );
}

/** The values of a record that a filter can want or exclude. */
const LINKED = {
  principal: ['agent', 'Agent or person'],
  client: ['client', 'Client'],
  server_name: ['server', 'Server'],
  tool_name: ['tool', 'Tool'],
  error_code: ['code', 'Error code'],
  approval_id: ['approval', 'Approval'],
  decided_by: ['decider', 'Decided by'],
  session_id: ['session', 'Session'],
  request_id: ['request', 'Request'],
  conversation_id: ['conversation', 'Conversation'],
} as const satisfies Partial<Record<keyof ActivityRecord, [ClauseField, string]>>;
const LINKED_NAMES = Object.keys(LINKED) as Array<keyof typeof LINKED>;

function Facts({ record, filter, onFilter }: DetailProps) {
  const action = actionOf(record);
  return (
    <dl className="facts">
      <dt>Record</dt>
      <dd className="mono">{record.id}</dd>
      <dt>Type</dt>
      <dd>{record.type}</dd>
      {action !== undefined && (
        <>
          <dt>Action</dt>
          <dd>
            <Line text={action} />
          </dd>
        </>
      )}
      <dt>Source</dt>
      <dd>{record.source}</dd>
      {record.client_address !== undefined && (
        <>
          <dt>Address</dt>
          <dd className="mono">
            <Line text={record.client_address} />
          </dd>
        </>
      )}
      {LINKED_NAMES.map((key) => {
        const value = record[key];
        if (value === undefined) return null;
        const [field, title] = LINKED[key];
        const choose = (as: Choice) => onFilter(withValue(filter, { field, value, as }));
        return (
          <div key={key} className="facts-row">
            <dt>{title}</dt>
            <dd className="mono">
              <FactValue name={key} value={value} />{' '}
              <button type="button" className="quiet" onClick={() => choose('wanted')}>
                Only this
              </button>
              <button type="button" className="quiet" onClick={() => choose('excluded')}>
                Not this
              </button>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** A session and an agent have pages of their own. */
function FactValue({ name, value }: { name: keyof typeof LINKED; value: string }) {
  const text = <Line text={value} />;
  if (name === 'session_id') return <Link href={`/session?id=${encodeURIComponent(value)}`}>{text}</Link>;
  if (name === 'principal') return <Link href={`/agent?name=${encodeURIComponent(value)}`}>{text}</Link>;
  if (name === 'approval_id')
    return <Link href={`/approvals?approval=${encodeURIComponent(value)}`}>{text}</Link>;
  return text;
}

/** The approval of the call: who decided, when and why, or the grant that allowed it. */
function ApprovalTrail({ record: { metadata } }: { record: ActivityRecord }) {
  const { approval } = metadata as { approval?: { id?: unknown; grant_id?: unknown } };
  const id = typeof approval?.id === 'string' ? approval.id : undefined;
  const detail = useApi('getApproval', { id: id ?? '' }, { enabled: id !== undefined });
  if (!approval) return null;
  const { data } = detail;
  return (
    <section>
      <h3>Approval</h3>
      <dl className="facts">
        {typeof approval.grant_id === 'string' && (
          <>
            <dt>Grant</dt>
            <dd className="mono">{approval.grant_id}</dd>
          </>
        )}
        {data && (
          <>
            <dt>Requested</dt>
            <dd>
              <Time at={data.created_at} />
            </dd>
            <dt>Rule</dt>
            <dd>
              <Line text={data.rule} />
            </dd>
            <dt>Outcome</dt>
            <dd>{data.status}</dd>
            {data.decided_at !== undefined && (
              <>
                <dt>Decided</dt>
                <dd>
                  <Time at={data.decided_at} /> by{' '}
                  <Line text={`${data.decided_by ?? '?'}, ${data.decided_from ?? ''}`} max={100} />
                </dd>
              </>
            )}
            {data.decision_reason !== undefined && (
              <>
                <dt>Reason</dt>
                <dd>
                  <Line text={data.decision_reason} />
                </dd>
              </>
            )}
          </>
        )}
      </dl>
    </section>
  );
}

/** The entries of the hash chain that belong to the record. */
function ChainEntries({ id }: { id: string }) {
  const chain = useApi('activityChain', { id });
  if (!chain.data || chain.data.entries.length === 0) return null;
  return (
    <section>
      <h3>Hash chain</h3>
      <ul className="chain">
        {chain.data.entries.map(({ log, n, kind, time }) => (
          <li key={`${log} ${n}`}>
            {kind} at entry <strong>{n.toLocaleString('en')}</strong> of log <code>{log.slice(0, 12)}</code>,{' '}
            <Time at={time} />
          </li>
        ))}
      </ul>
    </section>
  );
}
