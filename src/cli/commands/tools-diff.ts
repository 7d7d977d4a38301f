import type { Command } from 'commander';
import type { ToolDiff } from '../../contract/judged-tool.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import { hint, print, withProxy } from '../context.ts';
import { changeLines } from '../change-lines.ts';
import { define, type Bind } from '../define.ts';
import type { Style } from '../style.ts';
import { fields } from '../table.ts';
import { localTime } from '../time.ts';

export function toolsDiff(bind: Bind): Command {
  return define('diff', {
    summary: 'How a tool differs from the definition that was accepted',
    examples: ['mcpproxy tools diff github:create_issue', 'mcpproxy tools diff github:create_issue -o json'],
  })
    .argument('<server:tool>', 'the tool')
    .action(
      bind(async (context, _, name) => {
        const diff = await withProxy(context, 'daemon-or-embedded', ({ request }) =>
          request('diffTool', { name }),
        );
        await print(context, diff, () => detail(context.style, diff));
        if (diff.standing !== 'accepted')
          hint(
            context,
            `accept it with: mcpproxy tools approve ${visibleLine(name)} --hash ${diff.definition_hash}`,
          );
      }),
    );
}

function detail(style: Style, diff: ToolDiff): string {
  const { accepted } = diff;
  return [
    fields(style, [
      ['Tool', diff.name],
      ['Standing', diff.withheld ? `${diff.standing}, withheld from agents` : diff.standing],
      ['Accepted', accepted ? `${localTime(accepted.at)} by ${accepted.by}` : 'never'],
    ]),
    ...diff.notes.map((note) => `${visibleLine(note)}\n`),
    ...diff.changes.map((change) => changeLines(style, change)),
    diff.changes.length + diff.notes.length === 0 ? 'no difference\n' : '',
  ].join('');
}
