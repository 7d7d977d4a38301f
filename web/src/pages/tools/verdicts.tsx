import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { JudgedTool } from '../../../../src/contract/tool.ts';
import { OperationType } from '../../../../src/contract/operation.ts';
import { useLive } from '../../live/live.ts';
import { OperationBadge } from '../../parts/badges.tsx';
import { Empty, Fetched, Loading } from '../../parts/states.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { queries, useApi } from '../../session/api.ts';
import { StandingBadge } from './standing-badge.tsx';
import { ToolDrawer } from './tool-drawer.tsx';

const SOURCES = {
  operator: 'you',
  annotation: 'the server',
  inferred: 'inferred',
  default: 'nothing known',
} as const;
const PAGE = 100;

/** The verdict book: what each tool is held to, and why. */
export function Verdicts() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const params = new URLSearchParams(search);
  const flag = (name: string) => (params.get(name) === 'true' ? ('true' as const) : undefined);
  const operation = OperationType.safeParse(params.get('operation')).data;
  const inferred = OperationType.safeParse(params.get('inferred')).data;
  const server = params.get('server') ?? undefined;
  const [cursors, setCursors] = useState<string[]>([]);
  const page = useApi('listTools', {
    server,
    operation,
    inferred,
    unannotated: flag('unannotated'),
    changed: flag('changed'),
    withheld: flag('withheld'),
    suspicious: flag('suspicious'),
    limit: PAGE,
    cursor: cursors.at(-1),
  });
  const servers = useApi('listServers', {});
  const [open, setOpen] = useState<string>();
  useLive('tools', () => void queries.invalidateQueries({ queryKey: ['listTools'] }));

  function set(name: string, value: string | undefined): void {
    if (value) params.set(name, value);
    else params.delete(name);
    setCursors([]);
    navigate(`/tools?${params.toString()}`, { replace: true });
  }

  return (
    <section className="stack" aria-label="Verdict book">
      <div className="row">
        <label className="field">
          <span>Server</span>
          <select value={server ?? ''} onChange={(event) => set('server', event.target.value)}>
            <option value="">any</option>
            {servers.data?.servers.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>Held to</span>
          <select value={operation ?? ''} onChange={(event) => set('operation', event.target.value)}>
            <option value="">any</option>
            {OperationType.options.map((option) => (
              <option key={option}>{option}</option>
            ))}
          </select>
        </label>
        <label className="field">
          <span>Looks like</span>
          <select value={inferred ?? ''} onChange={(event) => set('inferred', event.target.value)}>
            <option value="">any</option>
            {OperationType.options.map((option) => (
              <option key={option}>{option}</option>
            ))}
          </select>
        </label>
        <Check label="Server says nothing" on={flag('unannotated')} set={(on) => set('unannotated', on)} />
        <Check label="New or changed" on={flag('changed')} set={(on) => set('changed', on)} />
        <Check label="Withheld" on={flag('withheld')} set={(on) => set('withheld', on)} />
        <Check label="Suspicious text" on={flag('suspicious')} set={(on) => set('suspicious', on)} />
        <button
          type="button"
          onClick={() => navigate('/tools?unannotated=true&inferred=destructive', { replace: true })}
        >
          Un-annotated and looks destructive
        </button>
      </div>
      <Fetched query={page} what="tools">
        {({ tools }) =>
          // What another filter has found stays in view until the answer comes; that it found nothing is no answer to this one.
          page.isPlaceholderData && tools.length === 0 ? (
            <Loading what="tools" />
          ) : (
            <ToolTable tools={tools} onOpen={setOpen} />
          )
        }
      </Fetched>
      <div className="row">
        {cursors.length > 0 && (
          <button type="button" onClick={() => setCursors(cursors.slice(0, -1))}>
            Back
          </button>
        )}
        {page.data?.next_cursor && (
          <button type="button" onClick={() => setCursors([...cursors, page.data.next_cursor!])}>
            More
          </button>
        )}
        <span className="muted">{page.data && `${page.data.total} tools`}</span>
      </div>
      {open !== undefined && <ToolDrawer name={open} onClose={() => setOpen(undefined)} />}
    </section>
  );
}

function Check({
  label,
  on,
  set,
}: {
  label: string;
  on: string | undefined;
  set: (value: string | undefined) => void;
}) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={on !== undefined}
        onChange={(event) => set(event.target.checked ? 'true' : undefined)}
      />
      {label}
    </label>
  );
}

function ToolTable({ tools, onOpen }: { tools: Array<JudgedTool>; onOpen: (name: string) => void }) {
  if (tools.length === 0)
    return (
      <Empty title="No tool fits">
        <p>Take a condition away, or connect a server on the Servers page.</p>
      </Empty>
    );
  return (
    <div className="table-scroll">
      <table>
        <thead>
          <tr>
            <th>Tool</th>
            <th>Held to</th>
            <th>Says who</th>
            <th>We would say</th>
            <th>Standing</th>
            <th>Description</th>
          </tr>
        </thead>
        <tbody>
          {tools.map((tool) => (
            <tr key={tool.name}>
              <td className="tool-name">
                <button type="button" className="link mono" onClick={() => onOpen(tool.name)}>
                  <Line text={tool.name} max={120} />
                </button>
              </td>
              <td>
                <OperationBadge operation={tool.operation.verdict} />
              </td>
              <td>{SOURCES[tool.operation.source]}</td>
              <td>
                <OperationBadge operation={tool.book.inferred.operation} />
              </td>
              <td>
                <StandingBadge tool={tool} />
              </td>
              <td className="muted">
                <Line text={tool.description} max={140} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
