import type { ToolDiff, VerdictStep } from '../../../../contract/tool.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import type { Style } from '../../output/style.ts';
import { fields, type Cell } from '../../output/table.ts';
import { localTime } from '../../output/time.ts';

/** The changes since the tool was accepted, and the effect of accepting it. */
export function diffLines(style: Style, diff: ToolDiff): string {
  const { approval } = diff;
  return [
    fields(style, [
      ['Tool', diff.name],
      ...standingFields(diff),
      ['Inferred', `${diff.inferred.operation}: ${diff.inferred.reason}`],
      ['Current verdict', stepText(approval.before)],
      ['If accepted', stepText(approval.after)],
    ]),
    ...diff.notes.map((note) => `${visibleLine(note)}\n`),
    differences(style, diff),
    `\n${visibleLine(approval.consequence)}\n`,
  ].join('');
}

/** Prompts and skills have no verdict: getting one is always a read. */
export function itemDiffLines(style: Style, noun: 'prompt' | 'skill', diff: ToolDiff): string {
  return [
    fields(style, [[noun === 'prompt' ? 'Prompt' : 'Skill', diff.name], ...standingFields(diff)]),
    ...diff.notes.map((note) => `${visibleLine(note.replace(/^the tool is /, `the ${noun} is `))}\n`),
    differences(style, diff),
  ].join('');
}

function standingFields({ standing, withheld, accepted, rejected }: ToolDiff): Array<[string, Cell]> {
  return [
    ['Status', withheld ? `${standing}, withheld from agents` : standing],
    ['Accepted', accepted ? `${localTime(accepted.at)} by ${accepted.by}` : 'never'],
    ['Rejected', rejected && `${localTime(rejected.at)} by ${rejected.by}`],
  ];
}

function differences(style: Style, { changes, notes }: ToolDiff): string {
  if (changes.length + notes.length === 0) return 'No differences.\n';
  return changes.map((change) => changeLines(style, change)).join('');
}

function stepText(step: VerdictStep | null): string {
  return step ? `${step.operation ?? 'any operation'}, with ${step.variants.join(', ')}` : 'never accepted';
}

/** One changed field: its path, then the old and new lines without equal lines at both ends. */
export function changeLines({ colors }: Style, { path, before, after }: ToolDiff['changes'][number]): string {
  const [old, now] = trimmed(linesOf(before), linesOf(after));
  return [
    `\n${colors.bold(visibleLine(path || '/'))}\n`,
    ...old.map((line) => `${colors.red(`- ${visibleLine(line)}`)}\n`),
    ...now.map((line) => `${colors.green(`+ ${visibleLine(line)}`)}\n`),
  ].join('');
}

/** Splits a JSON string into its own lines. */
function linesOf(json: string | undefined): string[] {
  if (json === undefined) return [];
  if (!json.startsWith('"')) return json.split('\n');
  try {
    return (JSON.parse(json) as string).split('\n');
  } catch {
    return [json]; // Truncated, so not valid JSON.
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
