import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { filterText, type CallFlow as Flow, type ClauseField } from '../../../../src/contract/activity.ts';
import { counted, visibleLine } from '../../../../src/lib/visible-text.ts';
import { OperationBadge } from '../../parts/badges.tsx';
import { useRefresh } from '../../live/use-refresh.ts';
import { Choice } from '../../parts/choice.tsx';
import { Empty, Fetched } from '../../parts/states.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useWidth } from '../../parts/charts/use-width.ts';
import { useApi } from '../../session/api.ts';
import { layOut, type FlowNode, type FlowPicture } from './flow-layout.ts';
import { Ribbon } from './flow-ribbon.tsx';

export const PERIODS = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' } as const;
export type Period = keyof typeof PERIODS;

const TABLE_ROWS = 25;

/** From which agent to which tool the calls go: the width is their number, the colour their operation. */
export default function CallFlowCard() {
  const [period, setPeriod] = useState<Period>('24h');
  const filter = `type:tool_call since:${period}`;
  const asked = { filter, buckets: 1, flows: 'true' } as const;
  const calls = useApi('activityBreakdown', asked, { refetchMs: 60_000 });
  useRefresh({ on: 'activity', route: 'activityBreakdown', input: asked, everyMs: 10_000 });
  return (
    <section className="card stack" aria-label="Flow of calls">
      <div className="row row-apart">
        <h2>Who calls what</h2>
        <Choice label="Period of the flow" options={PERIODS} value={period} onChange={setPeriod} />
      </div>
      <Fetched query={calls} what="the flow of calls">
        {({ flows = [], complete, counted: n }) =>
          flows.length === 0 ? (
            <Empty title={`No calls in ${PERIODS[period]}`} />
          ) : (
            <>
              <Picture flows={flows} filter={filter} />
              {!complete && (
                <p className="muted">These are the newest {n.toLocaleString('en')} calls of this time.</p>
              )}
              <FlowTable flows={flows} filter={filter} />
            </>
          )
        }
      </Fetched>
    </section>
  );
}

/** The activity page with these values added to the filter. */
function addressOf(filter: string, values: Partial<Record<ClauseField, string>>): string {
  const clauses = Object.entries(values).map(([field, value]) => ({
    field: field as ClauseField,
    values: [value],
    exclude: false,
  }));
  return `/activity?${new URLSearchParams({ filter: `${filter} ${filterText({ clauses, words: [] })}`.trim() })}`;
}

const BAR = 7;
const NARROW = 620;

function Picture({ flows, filter }: { flows: readonly Flow[]; filter: string }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [lit, setLit] = useState<string>();
  const isNarrow = width < NARROW;
  const picture = layOut(flows, isNarrow ? 400 : 420);
  const ends = columnsAt(width, isNarrow);
  return (
    <div ref={box} className="flow">
      {width > 0 && (
        <svg
          width={width}
          height={picture.height + 8}
          role="group"
          aria-label={summaryOf(picture)}
          onPointerLeave={() => setLit(undefined)}
        >
          <defs>
            <pattern id="flow-ghost" width="6" height="6" patternUnits="userSpaceOnUse">
              <path d="M0 6 6 0" className="flow-hatch" />
            </pattern>
          </defs>
          <g transform="translate(0 4)">
            {picture.ribbons.map((ribbon) => (
              <Ribbon
                key={ribbon.id}
                ribbon={ribbon}
                from={ends[ribbon.from.column] + BAR}
                to={ends[ribbon.to.column]}
                isFaint={lit !== undefined && lit !== ribbon.from.id && lit !== ribbon.to.id}
              />
            ))}
            {picture.nodes.map((node) => (
              <Node
                key={node.id}
                node={node}
                at={ends[node.column]}
                room={roomOf(node, ends, width)}
                href={addressOf(filter, node.filter)}
                onLit={setLit}
              />
            ))}
          </g>
        </svg>
      )}
      <FlowLegend />
    </div>
  );
}

/** Left edges of the columns. The labels stand to the right of each. */
function columnsAt(width: number, isNarrow: boolean): [number, number, number] {
  const lastRoom = isNarrow ? 118 : 230;
  const last = Math.max(120, width - lastRoom);
  return [0, Math.round(last * 0.46), last];
}

const roomOf = ({ column }: FlowNode, ends: readonly number[], width: number): number =>
  (ends[column + 1] ?? width) - ends[column]! - BAR - 10;

const CHARACTER = 7.1;

function shortened(label: string, room: number): string {
  const most = Math.max(4, Math.floor(room / CHARACTER));
  return visibleLine(label.length > most ? `${label.slice(0, most - 1)}…` : label);
}

interface NodeProps {
  node: FlowNode;
  at: number;
  room: number;
  href: string;
  onLit: (id: string | undefined) => void;
}

function Node({ node, at, room, href, onLit }: NodeProps) {
  const [, navigate] = useLocation();
  const { label, calls, stopped, y, height, column } = node;
  const numbers = `${counted(calls, 'call')}${stopped > 0 ? `, ${stopped.toLocaleString('en')} stopped` : ''}`;
  const name = column === 0 ? label.replace(/^token:/, '') : label;
  return (
    <a
      href={href}
      className="flow-node"
      aria-label={`${visibleLine(label)}: ${numbers}`}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        navigate(href);
      }}
      onPointerEnter={() => onLit(node.id)}
      onFocus={() => onLit(node.id)}
      onBlur={() => onLit(undefined)}
    >
      <title>{`${visibleLine(label)}: ${numbers}`}</title>
      <rect x={at} y={y} width={BAR} height={height} rx={2} />
      <text x={at + BAR + 6} y={y + height / 2} dominantBaseline="central">
        {shortened(name, room - 8 * String(calls).length)}
        <tspan className="flow-count" dx={6}>
          {calls.toLocaleString('en')}
        </tspan>
      </text>
    </a>
  );
}

const summaryOf = ({ calls, stopped, nodes }: FlowPicture): string =>
  `${counted(calls, 'call')} from ${counted(nodes.filter(({ column }) => column === 0).length, 'agent')} to ${counted(
    nodes.filter(({ column }) => column === 1).length,
    'server',
  )}, ${stopped.toLocaleString('en')} of them stopped`;

function FlowLegend() {
  return (
    <ul className="legend">
      {(['read', 'write', 'destructive'] as const).map((op) => (
        <li key={op}>
          <span className={`legend-mark legend-${op}`} aria-hidden="true" />
          {op}
        </li>
      ))}
      <li>
        <span className="legend-mark flow-legend-stopped" aria-hidden="true" />
        stopped: refused, denied or expired
      </li>
    </ul>
  );
}

/** The same in words and numbers, for everybody who cannot or does not want to read the picture. */
function FlowTable({ flows, filter }: { flows: readonly Flow[]; filter: string }) {
  return (
    <details>
      <summary>As a table</summary>
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Flow of calls as a table">
        <table>
          <thead>
            <tr>
              <th>Agent</th>
              <th>Tool</th>
              <th>Operation</th>
              <th className="number">Calls</th>
              <th className="number">Stopped</th>
            </tr>
          </thead>
          <tbody>
            {flows.slice(0, TABLE_ROWS).map(({ agent, server, tool, op, calls, stopped }) => (
              <tr key={[agent, server, tool, op].join('\n')}>
                <td>
                  <Line text={agent} max={60} />
                </td>
                <td className="mono">
                  <Link href={addressOf(filter, { agent, tool: `${server}:${tool}` })}>
                    <Line text={`${server}:${tool}`} max={80} />
                  </Link>
                </td>
                <td>
                  <OperationBadge operation={op} />
                </td>
                <td className="number">{calls.toLocaleString('en')}</td>
                <td className="number">{stopped.toLocaleString('en')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
