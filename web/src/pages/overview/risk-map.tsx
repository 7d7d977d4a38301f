import { Fragment, useState, type CSSProperties } from 'react';
import { Link } from 'wouter';
import type { OperationType } from '../../../../src/contract/operation.ts';
import type { RouteOutput } from '../../../../src/contract/routes/api.ts';
import { counted, visibleLine } from '../../../../src/lib/visible-text.ts';
import { useRefresh } from '../../live/use-refresh.ts';
import { Choice } from '../../parts/choice.tsx';
import { Claim, Empty, Fetched } from '../../parts/states.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { useApi } from '../../session/api.ts';
import { PERIODS, type Period } from './call-flow.tsx';

type Risk = RouteOutput<'toolRisk'>;
type RiskyTool = Risk['tools'][number];

const ENFORCED = [null, 'read', 'write', 'destructive'] as const;
const INFERRED = ['destructive', 'write', 'read'] as const;
/** A tool that any variant may call can be called as a read. */
const severity = (operation: OperationType | null) => ENFORCED.indexOf(operation ?? 'read');
const SHOWN = 8;

/** Less is enforced than the text of the tool suggests. */
const isLoose = (enforced: OperationType | null, inferred: OperationType) =>
  severity(enforced) < severity(inferred);
const isDoubtful = (tool: RiskyTool) => !tool.decided && isLoose(tool.enforced, tool.inferred);

/** All tools: to the right what they are held to, upwards what they look like, the size is their use. */
export default function RiskMapCard() {
  const [period, setPeriod] = useState<Period>('7d');
  const risk = useApi('toolRisk', { period }, { refetchMs: 60_000 });
  useRefresh({ on: 'activity', route: 'toolRisk', input: { period }, everyMs: 10_000 });
  return (
    <section className="card stack" aria-label="Risk of tools">
      <div className="row row-apart">
        <h2>What tools may do</h2>
        <Choice label="Period of the use" options={PERIODS} value={period} onChange={setPeriod} />
      </div>
      <Fetched query={risk} what="tools">
        {(data) => (data.cells.length === 0 ? <Empty title="No tools" /> : <Map risk={data} />)}
      </Fetched>
    </section>
  );
}

function Map({ risk: { cells, tools } }: { risk: Risk }) {
  const most = Math.max(1, ...tools.map(({ calls }) => calls));
  return (
    <>
      <Verdict tools={tools.filter((tool) => isDoubtful(tool) && tool.inferred === 'destructive')} />
      <div className="risk">
        <p className="risk-axis risk-axis-y">It looks like</p>
        {INFERRED.map((inferred) => (
          <Fragment key={inferred}>
            <p className="risk-label">{inferred}</p>
            {ENFORCED.map((enforced) => {
              const own = (each: { enforced: OperationType | null; inferred: OperationType }) =>
                each.enforced === enforced && each.inferred === inferred;
              return (
                <Cell
                  key={String(enforced)}
                  enforced={enforced}
                  inferred={inferred}
                  total={cells.find(own)?.tools ?? 0}
                  tools={tools.filter(own)}
                  most={most}
                />
              );
            })}
          </Fragment>
        ))}
        {ENFORCED.map((enforced) => (
          <p key={String(enforced)} className={enforced ? 'risk-label' : 'risk-label risk-first'}>
            {enforced ?? 'anything'}
          </p>
        ))}
        <p className="risk-axis risk-axis-x">Agents may call it as</p>
      </div>
    </>
  );
}

function Verdict({ tools }: { tools: readonly RiskyTool[] }) {
  const [first] = tools;
  if (!first) return <Claim>No tool that looks destructive may be called as less.</Claim>;
  return (
    <p>
      <strong>{counted(tools.length, 'tool looks', 'tools look')} destructive</strong> and may be called as
      less.{' '}
      {first.calls > 0 && (
        <>
          The most used one is{' '}
          <Link href={`/tools?${new URLSearchParams({ tool: first.name })}`} className="mono">
            <Line text={first.name} max={80} />
          </Link>
          , with {counted(first.calls, 'call')}.
        </>
      )}
    </p>
  );
}

interface CellProps {
  enforced: OperationType | null;
  inferred: OperationType;
  total: number;
  tools: readonly RiskyTool[];
  most: number;
}

function Cell({ enforced, inferred, total, tools, most }: CellProps) {
  const tone = !isLoose(enforced, inferred) ? '' : inferred === 'destructive' ? ' risk-high' : ' risk-some';
  const shown = tools.slice(0, SHOWN);
  return (
    <div className={`risk-cell${total > 0 ? tone : ''}`}>
      {total > 0 && (
        <>
          <ul className="bubbles">
            {shown.map((tool) => (
              <Bubble key={tool.name} tool={tool} most={most} />
            ))}
          </ul>
          <Link
            href={`/tools?${new URLSearchParams({ ...(enforced && { operation: enforced }), inferred })}`}
            className="risk-count"
          >
            {counted(total, 'tool')}
          </Link>
        </>
      )}
    </div>
  );
}

const [SMALLEST, LARGEST] = [24, 64];

function Bubble({ tool, most }: { tool: RiskyTool; most: number }) {
  const { name, calls, inferred, annotated, decided } = tool;
  // The area is the use.
  const size = Math.round(SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(calls / most));
  const who = decided ? 'set by you' : annotated ? 'said by its server' : 'no hints';
  const text = `${visibleLine(name)}: ${counted(calls, 'call')}, looks ${inferred}, ${who}`;
  const kind = isDoubtful(tool) ? `bubble-doubt bubble-${inferred}` : 'bubble-fine';
  return (
    <li>
      <Link
        href={`/tools?${new URLSearchParams({ tool: name })}`}
        className={`bubble ${kind}${annotated || decided ? '' : ' bubble-silent'}`}
        style={{ '--size': `${size}px` } as CSSProperties}
        title={text}
        aria-label={text}
      />
      {isDoubtful(tool) && inferred === 'destructive' && (
        <span className="bubble-name">
          <Line text={name.slice(name.indexOf(':') + 1)} max={18} />
        </span>
      )}
    </li>
  );
}
