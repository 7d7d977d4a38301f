import type { Command } from 'commander';
import { visibleLine } from '../../lib/visible-text.ts';
import { hint, print, withProxy } from '../context.ts';
import { define, type Bind } from '../define.ts';

export function upstreamApprove(bind: Bind): Command {
  return define('approve', {
    summary: 'Accept all tools of a server as they are now',
    description:
      'Accept all tools of a server as they are now: those that are new, that changed, whose hints became weaker, or that are withheld for their text. Look at them first with "tools list --withheld", "tools diff" and, for what the scanner has found, "tools show".',
    examples: ['mcpproxy upstream approve files', 'mcpproxy upstream approve files -o json'],
  })
    .argument('<name>', 'the server')
    .action(
      bind(async (context, _, name) => {
        const done = await withProxy(context, 'daemon-or-embedded', ({ request }) =>
          request('approveServer', { name }),
        );
        await print(context, done, () => done.approved.map((tool) => `${visibleLine(tool)}\n`).join(''));
        hint(context, `${done.approved.length} of ${done.total} tools were waiting and are approved now`);
        for (const { tool, why } of done.skipped)
          hint(context, visibleLine(`${tool} goes on waiting: ${why}`));
      }),
    );
}
