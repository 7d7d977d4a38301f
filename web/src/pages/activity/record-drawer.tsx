import { actionOf, type ActivityFilter, type ActivityRecord } from '../../../../src/contract/activity.ts';
import { exactJson } from '../../../../src/json/index.ts';
import { OperationBadge, StatusBadge } from '../../parts/badges.tsx';
import { CodeView } from '../../parts/code-view.tsx';
import { DownloadButton } from '../../parts/buttons.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { Fetched } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { Line, Paragraph } from '../../parts/untrusted.tsx';
import { useApi } from '../../session/api.ts';
import { imagesOf } from '../../parts/images.ts';
import { titleOf } from './record-title.ts';

interface Props {
  id: string;
  onClose: () => void;
  onFilter: (changes: Partial<Record<keyof ActivityFilter, string | undefined>>) => void;
}

/** One record of the log with all its fields. */
export function RecordDrawer({ id, onClose, onFilter }: Props) {
  const record = useApi('getActivity', { id });
  const { data } = record;
  return (
    <Drawer title={data ? <Line text={titleOf(data)} /> : 'Record'} onClose={onClose}>
      <Fetched query={record} what="the record">
        {(loaded) => <Detail record={loaded} onFilter={onFilter} />}
      </Fetched>
    </Drawer>
  );
}

function Detail({ record, onFilter }: { record: ActivityRecord; onFilter: Props['onFilter'] }) {
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
      <Facts record={record} onFilter={onFilter} />
      {record.arguments !== undefined && (
        <CodeView
          label={metadata.arguments_truncated ? 'Arguments (cut)' : 'Arguments'}
          value={record.arguments}
        />
      )}
      {record.response !== undefined && (
        <CodeView label={record.response_truncated ? 'Response (cut)' : 'Response'} value={record.response} />
      )}
      {imagesOf(record.response).map(({ source, type }) => (
        <img key={source.slice(-64)} className="result-image" src={source} alt={`Result, ${type}`} />
      ))}
      <CodeView label="Metadata" value={metadata} />
      <ChainEntries id={record.id} />
    </>
  );
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
        <dt>Tool is held to</dt>
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

const LINKED = [
  'principal',
  'client',
  'approval_id',
  'decided_by',
  'session_id',
  'request_id',
  'conversation_id',
] as const;

function Facts({ record, onFilter }: { record: ActivityRecord; onFilter: Props['onFilter'] }) {
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
      {LINKED.map((key) => {
        const value = record[key];
        if (value === undefined) return null;
        return (
          <div key={key} className="facts-row">
            <dt>{key.replace('_id', '').replace('_', ' ')}</dt>
            <dd className="mono">
              <Line text={value} />{' '}
              <button type="button" className="quiet" onClick={() => onFilter({ [key]: value })}>
                Filter by this value
              </button>
            </dd>
          </div>
        );
      })}
    </dl>
  );
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
