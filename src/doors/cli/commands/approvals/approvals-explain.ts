import type { Command } from 'commander';
import type { Explanation } from '../../../../contract/approval.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { ToolVariant } from '../../../../contract/operation.ts';
import { print, withProxy } from '../../context.ts';
import { choice, define, type Bind } from '../../define.ts';
import { readArgs } from '../call/read-args.ts';
import { intentCell, type Style } from '../../output/style.ts';
import { fields } from '../../output/table.ts';
import { longDuration } from '../../output/time.ts';
import { isObject, readJson } from '../../../../json/index.ts';

interface ExplainFlags {
  args?: string;
  variant?: ToolVariant;
  client?: string;
  program?: string;
}

export function approvalsExplain(bind: Bind): Command {
  return define('explain', {
    summary: 'What would happen to a call, and why; nothing is called',
    examples: [
      'mcpproxy approvals explain github:delete_repo',
      'mcpproxy approvals explain files:write_file --args \'{"path": "a.txt", "content": "x"}\'',
      'mcpproxy approvals explain github:create_issue --client token:ci -o json',
    ],
  })
    .argument('<server:tool>', 'the tool')
    .option('--args <json>', 'arguments as a JSON object, @file, or - for stdin')
    .addOption(
      choice(
        '--variant <variant>',
        'how it would be called (default: the call_with of the tool)',
        ToolVariant.options,
      ),
    )
    .option('--client <credential>', 'who would call: operator, anonymous or token:NAME (default: operator)')
    .option('--program <name>', 'the client program, as it names itself; grants are bound to it')
    .action(
      bind<ExplainFlags>(async (context, { args, variant, client, program }, tool) => {
        const body = {
          tool,
          ...(args !== undefined && { args: argsOf(await readArgs(context.io, args)) }),
          ...(variant && { tool_variant: variant }),
          ...(client && { client }),
          ...(program && { program }),
        };
        const explanation = await withProxy(context, 'daemon-or-embedded', ({ request }) =>
          request('explainApproval', { body }),
        );
        await print(context, explanation, () => detail(context.style, explanation));
      }),
    );
}

function argsOf(text: string): Record<string, unknown> {
  const read = readJson(text);
  if ('value' in read && isObject(read.value)) return read.value;
  throw new ProxyError('USAGE', '--args must be a JSON object');
}

const SAYS = { allow: 'passes', ask: 'waits for a person', refuse: 'is refused' } as const;

function detail(
  style: Style,
  { tool, tool_variant, client, outcome, code, why, policy, ...more }: Explanation,
): string {
  const paint = { allow: style.colors.green, ask: style.colors.cyan, refuse: style.colors.yellow }[outcome];
  return fields(style, [
    ['Tool', tool],
    ['Called by', `${client}, with ${tool_variant}`],
    ['Outcome', { text: SAYS[outcome], paint }],
    ['Why', code ? `${code}: ${why}` : why],
    ['Operation', intentCell(style, more.operation ?? undefined)],
    ['', more.operation_reason ?? undefined],
    ['Policy', `${policy.action}: ${policy.reason}`],
    ['Version', policy.version],
    ['Waits', more.expires_after_s === undefined ? undefined : `up to ${longDuration(more.expires_after_s)}`],
  ]);
}
