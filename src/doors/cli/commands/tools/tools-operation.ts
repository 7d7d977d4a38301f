import { Argument, type Command } from 'commander';
import { OperationType } from '../../../../contract/operation.ts';
import type { JudgedTool } from '../../../../contract/tool.ts';
import { print, withProxy, type Context } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import { verdictLines } from './verdict-lines.ts';

export function setOperation(bind: Bind): Command {
  return define('set-operation', {
    summary: "Set the operator's verdict on a tool; it beats hints and inference",
    examples: [
      'mcpproxy tools set-operation github:delete_repo destructive',
      'mcpproxy tools set-operation github:delete_repo clear',
    ],
  })
    .argument('<server:tool>', 'the tool')
    .addArgument(
      new Argument('<operation>', 'what the tool is held to; clear removes the verdict').choices([
        ...OperationType.options,
        'clear',
      ]),
    )
    .action(
      bind((context, _, name, operation) =>
        decide(context, ({ request }) =>
          operation === 'clear'
            ? request('clearOperation', { name })
            : request('setOperation', { name, body: { operation: OperationType.parse(operation) } }),
        ),
      ),
    );
}

type Work = Parameters<typeof withProxy<JudgedTool>>[2];

/** Makes the change and shows what the tool is held to now. */
async function decide(context: Context, work: Work): Promise<void> {
  const tool = await withProxy(context, 'daemon-or-embedded', work);
  await print(context, tool, () => verdictLines(context.style, tool));
}
