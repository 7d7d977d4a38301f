import type { JudgedTool } from '../../../../contract/tool.ts';
import { intentCell, type Style } from '../../output/style.ts';
import { fields } from '../../output/table.ts';

/** What a tool is held to after a decision about it. */
export function verdictLines(style: Style, tool: JudgedTool): string {
  const { verdict, source, reason } = tool.operation;
  return fields(style, [
    ['Tool', tool.name],
    ['Operation', intentCell(style, verdict)],
    ['Decided by', source],
    ['Because', reason],
    ['Call with', tool.call_with],
    [
      'Standing',
      tool.withheld ? `${tool.standing}, ${tool.rejected ? 'rejected' : 'withheld from agents'}` : undefined,
    ],
  ]);
}
