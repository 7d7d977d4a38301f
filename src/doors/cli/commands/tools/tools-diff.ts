import type { Command } from 'commander';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import { diffLines } from './diff-lines.ts';

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
        await print(context, diff, () => diffLines(context.style, diff));
        if (diff.standing !== 'accepted' || diff.withheld)
          hint(
            context,
            `accept it with: mcpproxy tools approve ${visibleLine(name)} --hash ${diff.definition_hash} (--keep-operation holds it to what it was), or: mcpproxy tools reject ${visibleLine(name)}`,
          );
      }),
    );
}
