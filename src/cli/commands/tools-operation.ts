import { Argument, type Command } from 'commander';
import { OperationType } from '../../contract/operation.ts';
import type { JudgedTool } from '../../contract/judged-tool.ts';
import { print, withProxy, type Context } from '../context.ts';
import { define, type Bind } from '../define.ts';
import { intentCell } from '../style.ts';
import { fields } from '../table.ts';

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

export function approveTool(bind: Bind): Command {
  return define('approve', {
    summary: 'Accept a tool as it is now: its definition, and its hints also where they became weaker',
    examples: [
      'mcpproxy tools approve github:list_repos',
      'mcpproxy tools approve github:list_repos -o json',
    ],
  })
    .argument('<server:tool>', 'the tool')
    .option(
      '--hash <hash>',
      'only if its definition is still the one with this hash, as "tools diff" shows it',
    )
    .action(
      bind<{ hash?: string }>((context, { hash }, name) =>
        decide(context, ({ request }) => request('approveTool', { name, ...(hash && { hash }) })),
      ),
    );
}

type Work = Parameters<typeof withProxy<JudgedTool>>[2];

/** Makes the change and shows what the tool is held to now. */
async function decide(context: Context, work: Work): Promise<void> {
  const tool = await withProxy(context, 'daemon-or-embedded', work);
  const { verdict, source, reason } = tool.operation;
  await print(context, tool, () =>
    fields(context.style, [
      ['Tool', tool.name],
      ['Operation', intentCell(context.style, verdict)],
      ['Decided by', source],
      ['Because', reason],
      ['Call with', tool.call_with],
    ]),
  );
}
