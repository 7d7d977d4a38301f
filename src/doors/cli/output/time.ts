import { ProxyError } from '../../../contract/errors.ts';
import { TIME_EXAMPLES, timeOf, type Edge } from '../../../contract/time.ts';

/** An age, a day, a week, or a time in ISO 8601; days, and times without a zone, are local. */
export function pointInTime(text: string, now: number, edge: Edge = 'start'): string {
  const at = timeOf(text, { now, edge, zone: 'local' });
  if (at === undefined)
    throw new ProxyError('USAGE', `'${text.slice(0, 100)}' is not a valid time. Use ${TIME_EXAMPLES}`, {
      value: text,
    });
  return new Date(at).toISOString();
}

/** Local time with its offset, second precision: "2025-01-15 10:30:00+02:00", or with "Z" in UTC. */
export function localTime(timestamp: string): string {
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) return timestamp;
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const offset = -date.getTimezoneOffset();
  const minutes = Math.abs(offset);
  const zone =
    offset === 0 ? 'Z' : `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}${zone}`;
}

/** "245ms", "1.5s", "3m 10s". */
export function shortDuration(ms: number | undefined): string | undefined {
  if (ms === undefined) return undefined;
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`;
  return longDuration(ms / 1000);
}

/** "3m 10s", "2h 5m", "4d 1h". */
export function longDuration(seconds: number): string {
  const s = Math.round(seconds);
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m ${s % 60}s`;
  if (s < 86_400) return `${Math.floor(s / 3600)}h ${Math.floor((s % 3600) / 60)}m`;
  return `${Math.floor(s / 86_400)}d ${Math.floor((s % 86_400) / 3600)}h`;
}

export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
