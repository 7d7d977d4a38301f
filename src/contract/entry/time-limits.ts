import { isEntry, type Entry, type EntryDraft, type EntryOrigin, type Key } from './entry-draft.ts';

/** Units differ between clients: Cline uses seconds, Gemini CLI milliseconds. */
const LEAST_MILLISECONDS = 1000;

/** Keys whose name or client tells the unit. */
const WITH_UNIT: ReadonlyArray<{ key: string; setting: Key; unit: 's' | 'ms' }> = [
  { key: 'tool_timeout_sec', setting: 'timeout', unit: 's' },
  { key: 'startup_timeout_sec', setting: 'startup_timeout', unit: 's' },
  { key: 'startup_timeout_ms', setting: 'startup_timeout', unit: 'ms' },
  { key: 'connectionTimeout', setting: 'startup_timeout', unit: 'ms' },
  { key: 'initTimeout', setting: 'startup_timeout', unit: 'ms' },
];

/** Brings time limits to our own settings and their form, as in "30s". */
export function translateTimeouts(draft: EntryDraft, given: Entry, origin: EntryOrigin): void {
  translateTimeout(draft, origin);
  const nested = isEntry(given.requestOptions) ? given.requestOptions.timeout : undefined;
  for (const { key, setting, unit } of [
    ...WITH_UNIT,
    { key: 'requestOptions', setting: 'timeout' as const, unit: 'ms' as const },
  ]) {
    const value = key === 'requestOptions' ? nested : given[key];
    if (value === undefined || draft.settings.has(setting)) continue;
    const ms = millisecondsOf(value, unit);
    if (ms === undefined) draft.problems.push({ path: [key], message: 'must be a number of more than 0' });
    else draft.settings.set(setting, durationText(ms));
  }
}

function translateTimeout({ settings, problems, warnings }: EntryDraft, origin: EntryOrigin): void {
  const timeout = settings.get('timeout');
  if (typeof timeout !== 'number') return;
  settings.delete('timeout');
  const unit = origin.timeoutUnit ?? (timeout < LEAST_MILLISECONDS ? 's' : 'ms');
  const ms = millisecondsOf(timeout, unit);
  if (ms === undefined)
    return void problems.push({ path: ['timeout'], message: 'must be more than 0, as in "30s"' });
  const text = durationText(ms);
  const setting: Key = origin.timeoutIsStart ? 'startup_timeout' : 'timeout';
  if (!settings.has(setting)) settings.set(setting, text);
  if (origin.timeoutUnit === undefined)
    warnings.push(
      `timeout ${timeout} is read as "${text}": numbers below ${LEAST_MILLISECONDS} are seconds, others milliseconds`,
    );
}

function millisecondsOf(value: unknown, unit: 's' | 'ms'): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return undefined;
  return Math.max(1, Math.round(unit === 's' ? value * 1000 : value));
}

function durationText(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
