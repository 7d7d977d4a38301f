import type { ToolDiff } from '../../../../contract/tool.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import type { Style } from '../../output/style.ts';

/** One field: its place, then what was and what is, line by line; equal lines at both ends are left out. */
export function changeLines({ colors }: Style, { path, before, after }: ToolDiff['changes'][number]): string {
  const [old, now] = trimmed(linesOf(before), linesOf(after));
  return [
    `\n${colors.bold(visibleLine(path || '/'))}\n`,
    ...old.map((line) => `${colors.red(`- ${visibleLine(line)}`)}\n`),
    ...now.map((line) => `${colors.green(`+ ${visibleLine(line)}`)}\n`),
  ].join('');
}

/** A text is shown by its own lines rather than as one long JSON string. */
function linesOf(json: string | undefined): string[] {
  if (json === undefined) return [];
  if (!json.startsWith('"')) return json.split('\n');
  try {
    return (JSON.parse(json) as string).split('\n');
  } catch {
    return [json]; // Cut, so no longer JSON.
  }
}

function trimmed(old: string[], now: string[]): [string[], string[]] {
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  return [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
}
