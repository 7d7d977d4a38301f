import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { PolicyRules } from '../../../../contract/approval-policy.ts';
import type { Replay } from '../../../../contract/approval.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import type { Style } from '../../output/style.ts';
import { heading, table, type Column } from '../../output/table.ts';
import { localTime, pointInTime } from '../../output/time.ts';

interface ReplayFlags {
  since: string;
  until?: string;
  policy?: string;
}

/** Reading a long log takes its time. */
const LIMIT_MS = 600_000;

export function approvalsReplay(bind: Bind): Command {
  return define('replay', {
    summary: 'Run a policy over the log: what it would have held or refused',
    description:
      'Run a policy over the log and show what it would have held or refused, before it is switched on. The file holds the list of approvals.require as JSON, or a configuration that has it.',
    examples: [
      'mcpproxy approvals replay --since 7d --policy policy.json',
      'mcpproxy approvals replay --since 24h -o json',
    ],
  })
    .option('--since <time>', 'an age such as 7d, or a date', '7d')
    .option('--until <time>', 'the end; default: now')
    .option('--policy <file>', 'the policy to try (default: the one in force)')
    .action(bind<ReplayFlags>((context, flags) => replay(context, flags)));
}

async function replay(context: Context, { since, until, policy }: ReplayFlags): Promise<void> {
  const now = context.io.now();
  const body = {
    since: pointInTime(since, now),
    ...(until && { until: pointInTime(until, now) }),
    ...(policy && { require: await readPolicy(policy) }),
  };
  const answer = await withProxy(context, 'daemon-or-offline', ({ request }) =>
    request('replayApprovals', { body }, LIMIT_MS),
  );
  await print(context, answer, () => overview(context.style, answer));
  const { calls, ask, refuse } = answer;
  hint(context, `of ${calls} calls it would have held ${ask} and refused ${refuse}`);
  if (answer.truncated) hint(context, 'not all calls were looked at; choose a shorter time');
}

/** The list alone, or wherever a configuration keeps it. */
async function readPolicy(file: string): Promise<PolicyRules> {
  const value = await readJson(file);
  const { approvals, require } = (Array.isArray(value) ? { require: value } : value) as {
    approvals?: { require?: unknown };
    require?: unknown;
  };
  const parsed = PolicyRules.safeParse(require ?? approvals?.require);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ProxyError(
    'USAGE',
    `${file} holds no policy: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim(),
  );
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as unknown;
  } catch (error) {
    throw new ProxyError('USAGE', `cannot read the policy from ${file}: ${(error as Error).message}`, {
      file,
    }).withCause(error);
  }
}

const TOOLS: Column[] = [
  { title: 'TOOL' },
  { title: 'ALLOWED', align: 'right', whole: true },
  { title: 'HELD', align: 'right', whole: true },
  { title: 'REFUSED', align: 'right', whole: true },
  { title: 'BECAUSE' },
];
const EXAMPLES: Column[] = [
  { title: 'RECORD', whole: true },
  { title: 'TIME', whole: true },
  { title: 'TOOL' },
  { title: 'WOULD BE', whole: true },
  { title: 'WAS', whole: true },
];
const WOULD = { allow: 'allowed', ask: 'held', refuse: 'refused' } as const;
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
