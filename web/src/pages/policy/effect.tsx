import { Link } from 'wouter';
import type { Replay } from '../../../../src/contract/approval.ts';
import { counted } from '../../../../src/lib/visible-text.ts';
import { Claim } from '../../parts/states.tsx';
import { Line } from '../../parts/untrusted.tsx';
import { ReplayTimeline } from './replay-timeline.tsx';

const TOOLS = 12;

/** What the rules would have done with the calls of the last weeks, beside what those in force do. */
export function Effect({ replay, now }: { replay: Replay; now: Replay | undefined }) {
  const { calls, ask, refuse, truncated } = replay;
  if (calls === 0) return <Claim>No calls that rules apply to are recorded in the last 4 weeks.</Claim>;
  const stopped = replay.tools.filter((tool) => tool.ask + tool.refuse > 0);
  return (
    <div className="stack" role="status">
      <p className="replay-sum">
        <strong>{counted(ask, 'call')} held here</strong>
        {refuse > 0 && (
          <>
            {' '}
            and <strong>{refuse.toLocaleString('en')} refused</strong>
          </>
        )}{' '}
        <span className="muted">
          of {counted(calls, 'call')} in 4 weeks
          {now && ` (the rules in force: ${now.ask.toLocaleString('en')} held)`}
          {truncated && '. There were more calls than were checked'}
        </span>
      </p>
      <ReplayTimeline replay={replay} />
      {stopped.length > 0 && (
        <div className="table-scroll" tabIndex={0} role="region" aria-label="Tools whose calls would be held">
          <table>
            <thead>
              <tr>
                <th>Tool</th>
                <th className="number">Held</th>
                <th className="number">Refused</th>
                <th className="number">Not held</th>
              </tr>
            </thead>
            <tbody>
              {stopped.slice(0, TOOLS).map((tool) => (
                <tr key={tool.tool}>
                  <td className="mono">
                    <Link href={`/activity?${new URLSearchParams({ tool: tool.tool, type: 'tool_call' })}`}>
                      <Line text={tool.tool} max={100} />
                    </Link>
                  </td>
                  <td className="number">{tool.ask.toLocaleString('en')}</td>
                  <td className="number">{tool.refuse.toLocaleString('en')}</td>
                  <td className="number">{tool.allow.toLocaleString('en')}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {stopped.length > TOOLS && <p className="muted">and {stopped.length - TOOLS} more tools</p>}
        </div>
      )}
    </div>
  );
}

/** What changes for people, in one or two sentences. */
export function changeText(now: Replay | undefined, next: Replay | undefined): string {
  if (!now || !next) return 'What this would have done is not known yet.';
  const rate = (replay: Replay) =>
    `${counted(replay.ask, 'call')} held, ${replay.refuse.toLocaleString('en')} refused`;
  const fewer = next.ask + next.refuse < now.ask + now.refuse;
  return `In the last 4 weeks: ${rate(next)}. With the rules in force: ${rate(now)}.${fewer ? ' Fewer calls are stopped than now.' : ''}`;
}
