import type { Command } from 'commander';
import type { JudgedTool } from '../../../../contract/tool.ts';
import { visibleText } from '../../../../lib/visible-text.ts';
import { print, withProxy } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import { safeJson } from '../../output/safe-json.ts';
import { intentCell, type Style } from '../../output/style.ts';
import { fields, heading } from '../../output/table.ts';
import { localTime } from '../../output/time.ts';

export function toolsShow(bind: Bind): Command {
  return define('show', {
    summary: 'Show a tool with its schema, hints and verdict',
    examples: ['mcpproxy tools show tasks:delete_task', 'mcpproxy tools show tasks:add_task -o yaml'],
  })
    .argument('<server:tool>', 'the tool')
    .action(
      bind(async (context, _, name) => {
        const tool = await withProxy(context, 'daemon-or-embedded', ({ request }) =>
          request('getTool', { name }),
        );
        await print(context, tool, () => detail(context.style, tool));
      }),
    );
}

function detail(style: Style, tool: JudgedTool): string {
  const { verdict, source, reason } = tool.operation;
  const subcommand = tool.call_with.slice('call_'.length).replace('_', '-');
  return [
    fields(style, [
      ['Tool', tool.name],
      ['Server', tool.server],
      ['Operation', intentCell(style, verdict)],
      ['Decided by', source],
      ['Because', reason],
      ...book(tool),
      ['Call with', `${tool.call_with}  (mcpproxy call ${subcommand} ${tool.name})`],
    ]),
    ...findings(style, tool),
    ...(tool.description ? [heading(style, 'Description'), `${visibleText(tool.description.trim())}\n`] : []),
    ...(tool.annotations
      ? [heading(style, 'Hints from the server'), `${safeJson(tool.annotations, 2)}\n`]
      : []),
    heading(style, 'Input'),
    `${safeJson(tool.inputSchema, 2)}\n`,
    ...(tool.outputSchema ? [heading(style, 'Output'), `${safeJson(tool.outputSchema, 2)}\n`] : []),
  ].join('');
}

/** Findings of the scanner, printed before the text of the tool. */
function findings(style: Style, { findings: found }: JudgedTool): string[] {
  if (found.length === 0) return [];
  const lines = found.map(({ path, why, excerpt }) => `${visibleText(`${path}: ${why}`)}\n  ${excerpt}\n`);
  return [heading(style, 'Text that looks like instructions for the model'), ...lines];
}

/** The inputs of the verdict: hints of the server, inference, decision of the operator; and the result. */
function book({
  book,
  standing,
  withheld,
  withheld_because: because,
  accepted,
  rejected,
  distrusted,
}: JudgedTool): Array<[string, string | undefined]> {
  const { hinted, held, inferred, decision, enforced } = book;
  return [
    ['Hinted', hinted ?? 'none'],
    ['Strictest hint', held === hinted ? undefined : (held ?? 'none')],
    ['Inferred', `${inferred.operation}: ${inferred.reason}`],
    ['Operator', decision ? `${decision.operation}, by ${decision.by}${when(decision.at)}` : 'no decision'],
    ['Enforced', enforced ?? 'any variant can call it'],
    ['Status', withheld ? `${standing}, withheld from agents` : standing],
    ['Because of', distrusted?.why ?? because?.join('; ')],
    ['Rejected', rejected && `by ${rejected.by}${when(rejected.at)}`],
    ['Accepted', accepted ? `by ${accepted.by}${when(accepted.at)}` : 'never'],
  ];
}

function when(at: string | undefined): string {
  return at ? ` at ${localTime(at)}` : '';
}
