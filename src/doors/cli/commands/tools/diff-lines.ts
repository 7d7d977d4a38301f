import type { ToolDiff, VerdictStep } from '../../../../contract/tool.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { changeLines } from './change-lines.ts';
import type { Style } from '../../output/style.ts';
import { fields } from '../../output/table.ts';
import { localTime } from '../../output/time.ts';

/** How a tool differs from what was accepted, and what follows if it is accepted as it is. */
export function diffLines(style: Style, diff: ToolDiff): string {
  const { accepted, rejected, approval } = diff;
  return [
    fields(style, [
      ['Tool', diff.name],
      ['Standing', diff.withheld ? `${diff.standing}, withheld from agents` : diff.standing],
      ['Accepted', accepted ? `${localTime(accepted.at)} by ${accepted.by}` : 'never'],
      ['Rejected', rejected && `${localTime(rejected.at)} by ${rejected.by}`],
      ['Inferred', `${diff.inferred.operation}: ${diff.inferred.reason}`],
      ['Verdict before', stepText(approval.before)],
      ['Verdict after', stepText(approval.after)],
    ]),
    ...diff.notes.map((note) => `${visibleLine(note)}\n`),
    ...diff.changes.map((change) => changeLines(style, change)),
    diff.changes.length + diff.notes.length === 0 ? 'no difference\n' : '',
    `\n${visibleLine(approval.consequence)}\n`,
  ].join('');
}

function stepText(step: VerdictStep | null): string {
  return step ? `${step.operation ?? 'any operation'}, with ${step.variants.join(', ')}` : 'never accepted';
}
