import type { Command } from 'commander';
import type { ParseError } from 'jsonc-parser';
import { counted, fileProblem } from '../../../../lib/visible-text.ts';
import { readFile } from 'node:fs/promises';
import type { Explanation, Replay } from '../../../../contract/approval.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import type { ToolVariant } from '../../../../contract/operation.ts';
import { TOOL_VARIANTS } from '../../../../contract/values.ts';
import { print, withProxy, hint, type Context } from '../../context.ts';
import { choice, define, type Bind } from '../../define.ts';
import { readArgs } from '../read-args.ts';
import { intentCell, type Style } from '../../output/style.ts';
import { fields, heading, table, type Column } from '../../output/table.ts';
import { longDuration, localTime, pointInTime } from '../../output/time.ts';
import { isObject, readJson } from '../../../../json/index.ts';
import type { PolicyRules } from '../../../../contract/approval-policy.ts';

interface ExplainFlags {
  args?: string;
  variant?: ToolVariant;
  client?: string;
  program?: string;
}

export function approvalsExplain(bind: Bind): Command {
  return define('explain', {
    summary: 'Show what would happen to a call, and why, without calling the tool',
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
        'variant of the call (default: the call_with of the tool)',
        TOOL_VARIANTS,
      ),
    )
    .option(
      '--client <credential>',
      'credential of the caller: operator, anonymous, token:NAME or the name of a token (default: operator)',
    )
    .option('--program <name>', 'name of the client program; grants are bound to it')
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

const OUTCOMES = { allow: 'allowed', ask: 'needs approval', refuse: 'refused' } as const;

function detail(
  style: Style,
  { tool, tool_variant, client, outcome, code, why, policy, ...more }: Explanation,
): string {
  const paint = { allow: style.colors.green, ask: style.colors.cyan, refuse: style.colors.yellow }[outcome];
  return fields(style, [
    ['Tool', tool],
    ['Called by', `${client}, with ${tool_variant}`],
    ['Outcome', { text: OUTCOMES[outcome], paint }],
    ['Why', code ? `${code}: ${why}` : why],
    ['Arguments', more.arguments_checked === false ? 'not checked; give them with --args' : undefined],
    ['Operation', intentCell(style, more.operation ?? undefined)],
    ['', more.operation_reason ?? undefined],
    ['Policy', `${policy.action}: ${policy.reason}`],
    ['Version', policy.version],
    [
      'Waits for',
      more.expires_after_s === undefined ? undefined : `up to ${longDuration(more.expires_after_s)}`,
    ],
  ]);
}

interface ReplayFlags {
  since: string;
  until?: string;
  policy?: string;
}

/** A long log takes minutes to read. */
const LIMIT_MS = 600_000;

export function approvalsReplay(bind: Bind): Command {
  return define('replay', {
    summary: 'Test a policy against the log: which calls would have needed approval',
    description:
      'Test a policy against the log before you apply it: show which calls would have needed approval or been refused. The file contains the list of approvals.require, or a configuration with it, as JSON; comments are allowed.',
    examples: [
      'mcpproxy approvals replay --since 7d --policy policy.json',
      'mcpproxy approvals replay --since 24h -o json',
    ],
  })
    .option('--since <time>', 'start: an age such as 7d, or an ISO 8601 date', '7d')
    .option('--until <time>', 'end, in the same formats (default: now)')
    .option('--policy <file>', 'policy to test (default: the current one)')
    .action(bind<ReplayFlags>(replay));
}

async function replay(context: Context, { since, until, policy }: ReplayFlags): Promise<void> {
  const now = context.io.now();
  const body = {
    since: pointInTime(since, now),
    ...(until && { until: pointInTime(until, now, 'end') }),
    ...(policy && { require: await readPolicy(policy) }),
  };
  const answer = await withProxy(context, 'daemon-or-offline', ({ request }) =>
    request('replayApprovals', { body }, LIMIT_MS),
  );
  await print(context, answer, () => overview(context.style, answer));
  const { calls, ask, refuse } = answer;
  hint(
    context,
    `Of ${counted(calls, 'call')}, ${ask} would have needed approval and ${refuse} would have been refused.`,
  );
  if (answer.truncated) hint(context, 'Not all calls were checked. Choose a shorter time range.');
}

/** Reads the list itself, or a configuration that contains it. */
async function readPolicy(file: string): Promise<PolicyRules> {
  const value = await readPolicyFile(file);
  const { approvals, require = isObject(approvals) ? approvals.require : undefined } = isObject(value)
    ? value
    : { approvals: undefined, require: value };
  const { PolicyRules, issueText, leafIssues } = await import('../../schemas.ts');
  const parsed = PolicyRules.safeParse(require);
  if (parsed.success) return parsed.data;
  const [issue] = leafIssues(parsed.error.issues);
  throw new ProxyError(
    'USAGE',
    `${file} does not contain a valid policy: ${issue?.path.join('.') ?? ''} ${issue ? issueText(issue, PolicyRules) : ''}`.trim(),
  );
}

async function readPolicyFile(file: string): Promise<unknown> {
  const unreadable = (why: string) =>
    new ProxyError('USAGE', `Cannot read the policy from ${file}: ${why}`, { file });
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw unreadable(fileProblem(error)).withCause(error);
  });
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (!first) return value;
  const line = text.slice(0, first.offset).split('\n').length;
  throw unreadable(`line ${line}: invalid JSON: ${printParseErrorCode(first.error)}`);
}

const TOOLS: Column[] = [
  { title: 'TOOL' },
  { title: 'ALLOWED', align: 'right', whole: true },
  { title: 'NEEDS APPROVAL', align: 'right', whole: true },
  { title: 'REFUSED', align: 'right', whole: true },
  { title: 'REASON' },
];
const EXAMPLES: Column[] = [
  { title: 'RECORD', whole: true },
  { title: 'TIME', whole: true },
  { title: 'TOOL' },
  { title: 'WOULD BE', whole: true },
  { title: 'WAS', whole: true },
];
const WOULD = { allow: 'allowed', ask: 'needs approval', refuse: 'refused' } as const;
const SHOWN = 20;

function overview(style: Style, { tools, examples }: Replay): string {
  const rows = tools.map(({ tool, allow, ask, refuse, reason }) => [
    tool,
    allow,
    ask,
    refuse,
    ask + refuse > 0 ? reason : undefined,
  ]);
  const some = examples
    .slice(-SHOWN)
    .map((each) => [each.record_id, localTime(each.timestamp), each.tool, WOULD[each.action], each.status]);
  return (
    table(style, TOOLS, rows) +
    (some.length > 0 ? heading(style, 'Examples') + table(style, EXAMPLES, some) : '')
  );
}
