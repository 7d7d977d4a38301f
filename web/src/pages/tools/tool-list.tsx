import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { JudgedTool } from '../../../../src/contract/tool.ts';
import { OperationType } from '../../../../src/contract/operation.ts';
import { useLive } from '../../live/live.ts';
import { OperationBadge } from '../../parts/badges.tsx';
import { Pages } from '../../parts/pages.tsx';
import { Empty, Fetched, Loading } from '../../parts/states.tsx';
import { useOpened } from '../../parts/use-opened.ts';
import { Line } from '../../parts/untrusted.tsx';
import { queries, useApi } from '../../session/api.ts';
import { StandingBadge, ToolDrawer } from './tool-drawer.tsx';

const SOURCES = {
  operator: 'operator',
  annotation: 'server hints',
  inferred: 'inferred',
  default: 'default',
} as const;
const PAGE_SIZE = 100;
const FLAGS = {
  unannotated: 'No hints',
  changed: 'New or changed',
  withheld: 'Withheld',
  suspicious: 'Suspicious text',
} as const;
type Flag = keyof typeof FLAGS;

type Filter = ReturnType<typeof filterFrom>;
type SetFilter = (name: keyof Filter, value: string | undefined) => void;

function filterFrom(params: URLSearchParams) {
  const flag = (name: Flag) => (params.get(name) === 'true' ? ('true' as const) : undefined);
  return {
    server: params.get('server') ?? undefined,
    operation: OperationType.safeParse(params.get('operation')).data,
    inferred: OperationType.safeParse(params.get('inferred')).data,
    unannotated: flag('unannotated'),
    changed: flag('changed'),
    withheld: flag('withheld'),
    suspicious: flag('suspicious'),
  };
}

/** All tools with their verdicts. The filter is part of the URL. */
export function ToolList() {
  const params = new URLSearchParams(useSearch());
  const [, navigate] = useLocation();
  const filter = filterFrom(params);
  const [cursors, setCursors] = useState<string[]>([]);
  const page = useApi('listTools', { ...filter, limit: PAGE_SIZE, cursor: cursors.at(-1) });
  const [open, setOpen] = useOpened('tool');
  useLive('tools', () => void queries.invalidateQueries({ queryKey: ['listTools'] }));

  function show(query: string): void {
    setCursors([]);
    navigate(`/tools?${query}`, { replace: true });
  }

  const set: SetFilter = (name, value) => {
    if (value) params.set(name, value);
    else params.delete(name);
    show(params.toString());
  };

  return (
    <section className="stack" aria-label="All tools">
      <Filters filter={filter} set={set} onDoubtful={() => show('unannotated=true&inferred=destructive')} />
      <Fetched query={page} what="tools">
        {({ tools }) =>
          // An empty result of the previous filter says nothing about this one.
          page.isPlaceholderData && tools.length === 0 ? (
            <Loading what="tools" />
          ) : (
            <ToolTable tools={tools} onOpen={setOpen} />
          )
        }
      </Fetched>
      <Pages
        next={page.data?.next_cursor}
        total={page.data?.total}
        cursors={cursors}
        onChange={setCursors}
        what="tool"
      />
      {open !== undefined && <ToolDrawer name={open} onClose={() => setOpen(undefined)} />}
    </section>
  );
}

function Filters({
  filter,
  set,
  onDoubtful,
}: {
  filter: Filter;
  set: SetFilter;
  /** Shows the tools that may be destructive although their server does not say so. */
  onDoubtful: () => void;
}) {
  const servers = useApi('listServers', {});
  const names = servers.data?.servers.map(({ name }) => name) ?? [];
  const select = (name: 'server' | 'operation' | 'inferred') => ({
    value: filter[name],
    onChange: (value: string) => set(name, value),
  });
  return (
    <div className="row">
      <Select label="Server" options={names} {...select('server')} />
      <Select label="Operation" options={OperationType.options} {...select('operation')} />
      <Select label="Inferred operation" options={OperationType.options} {...select('inferred')} />
      {(Object.keys(FLAGS) as Flag[]).map((name) => (
        <Check key={name} label={FLAGS[name]} on={filter[name]} set={(on) => set(name, on)} />
      ))}
      <button type="button" onClick={onDoubtful}>
        No hints, may be destructive
      </button>
    </div>
  );
}

function Select(props: {
  label: string;
  value: string | undefined;
  options: readonly string[];
  onChange: (value: string) => void;
}) {
  return (
    <label className="field">
      <span>{props.label}</span>
      <select value={props.value ?? ''} onChange={(event) => props.onChange(event.target.value)}>
        <option value="">any</option>
        {props.options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
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
      <Empty title="No matching tools">
        <p>Remove a filter, or add a server on the Servers page.</p>
      </Empty>
    );
  return (
    <div className="table-scroll">
      <table className="stacked">
        <thead>
          <tr>
            <th>Tool</th>
            <th>Operation</th>
            <th>Source</th>
            <th>Inferred</th>
            <th>Status</th>
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
              <td data-label="Source">{SOURCES[tool.operation.source]}</td>
              <td data-label="Inferred">
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
