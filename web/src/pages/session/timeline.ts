export interface Span {
  start: number;
  end: number;
}

/** A place on the timeline, in parts of its whole width. */
export interface Place {
  left: number;
  width: number;
}

export interface Gap extends Place {
  ms: number;
}

interface Timeline {
  placeOf: (span: Span) => Place;
  /** Times without a call, which are drawn shorter than they were. */
  gaps: Gap[];
}

/** A pause is shortened to this part of the time in which something ran. */
const GAP_PART = 0.08;
const LEAST_GAP_MS = 200;

/** Puts spans on one line from 0 to 1. Long pauses are shortened, so that calls of milliseconds stay visible in a session of hours. */
export function timelineOf(spans: readonly Span[]): Timeline {
  const busy = joined(spans);
  const busyMs = Math.max(
    1,
    busy.reduce((sum, { start, end }) => sum + end - start, 0),
  );
  const longest = Math.max(LEAST_GAP_MS, busyMs * GAP_PART);
  const stops: Array<{ time: number; at: number }> = [];
  const found: Array<{ from: number; to: number; ms: number }> = [];
  let at = 0;
  for (const [index, { start, end }] of busy.entries()) {
    const before = busy[index - 1];
    if (before) {
      const ms = start - before.end;
      const shown = Math.min(ms, longest);
      if (ms > shown) found.push({ from: at, to: at + shown, ms });
      at += shown;
    }
    stops.push({ time: start, at });
    at += end - start;
    stops.push({ time: end, at });
  }
  const whole = Math.max(1, at);
  const position = (time: number): number => {
    const next = stops.findIndex((stop) => stop.time >= time);
    if (next === 0 || stops.length === 0) return 0;
    if (next < 0) return 1;
    const [a, b] = [stops[next - 1]!, stops[next]!];
    const part = b.time === a.time ? 0 : (time - a.time) / (b.time - a.time);
    return (a.at + part * (b.at - a.at)) / whole;
  };
  return {
    placeOf: ({ start, end }) => ({ left: position(start), width: position(end) - position(start) }),
    gaps: found.map(({ from, to, ms }) => ({ left: from / whole, width: (to - from) / whole, ms })),
  };
}

/** Spans in order, joined where they touch. */
function joined(spans: readonly Span[]): Span[] {
  const out: Span[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = out.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else out.push({ start, end: Math.max(end, start + 1) });
  }
  return out;
}

export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}
