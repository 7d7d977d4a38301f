import { Link } from 'wouter';
import type { SeriesPoint } from '../../../../src/contract/activity.ts';
import { useRefresh } from '../../live/use-refresh.ts';
import { Fetched } from '../../parts/states.tsx';
import { Sparkline } from '../../parts/charts/sparkline.tsx';
import { useApi } from '../../session/api.ts';
import { trendOf } from './trend.ts';

const HOURS = 24;
const ASKED = { start_time: `${2 * HOURS}h`, buckets: 2 * HOURS };

interface FigureKind {
  title: string;
  /** More of it is bad news. */
  isTrouble: boolean;
  of: (point: SeriesPoint) => number;
  filter: string;
}

const FIGURES: readonly FigureKind[] = [
  {
    title: 'Calls',
    isTrouble: false,
    of: ({ read, write, destructive }) => read + write + destructive,
    filter: 'op:read,write,destructive since:24h',
  },
  {
    title: 'Changes',
    isTrouble: false,
    of: ({ write, destructive }) => write + destructive,
    filter: 'op:write,destructive since:24h',
  },
  {
    title: 'Stopped',
    isTrouble: true,
    of: ({ refused }) => refused,
    filter: 'status:refused,denied,expired since:24h',
  },
  {
    title: 'Failed',
    isTrouble: true,
    of: ({ errors }) => errors,
    filter: 'status:error,unknown since:24h',
  },
];

/** Four figures of the last day, each with its course and the change to the day before. */
export function Figures() {
  const series = useApi('activitySeries', ASKED, { refetchMs: 30_000 });
  useRefresh({ on: 'activity', route: 'activitySeries', input: ASKED, everyMs: 3000 });
  return (
    <Fetched query={series} what="figures">
      {({ points }) => (
        <ul className="figures" aria-label="The last 24 hours">
          {FIGURES.map((figure) => (
            <Figure key={figure.title} figure={figure} points={points} />
          ))}
        </ul>
      )}
    </Fetched>
  );
}

function Figure({ figure, points }: { figure: FigureKind; points: readonly SeriesPoint[] }) {
  const { title, isTrouble, of, filter } = figure;
  const course = points.map(of);
  const { now, text, isMore } = trendOf(course.slice(0, -HOURS), course.slice(-HOURS));
  return (
    <li className="card">
      <Link href={`/activity?${new URLSearchParams({ filter })}`} className="figure">
        <span className="figure-title">{title}</span>
        <strong className="figure-number">{now.toLocaleString('en')}</strong>
        <span className={isTrouble && isMore ? 'figure-trend figure-worse' : 'figure-trend'}>{text}</span>
        <Sparkline points={course.slice(-HOURS)} />
      </Link>
    </li>
  );
}
