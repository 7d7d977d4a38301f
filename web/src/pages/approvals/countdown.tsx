import { useNow } from '../../parts/time.tsx';

/** The time left to decide. Read out once a minute at most, not every second. */
export function Countdown({ until }: { until: string }) {
  const left = Math.max(0, Math.ceil((Date.parse(until) - useNow()) / 1000));
  const [minutes, seconds] = [Math.floor(left / 60), left % 60];
  return (
    <span className={left < 60 ? 'countdown countdown-short' : 'countdown'} role="timer" aria-live="off">
      {left === 0 ? 'expired' : `${minutes}:${String(seconds).padStart(2, '0')} left`}
    </span>
  );
}
