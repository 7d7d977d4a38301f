import { type Command, Argument } from 'commander';
import { ProxyError } from '../../../../contract/errors.ts';
import type { JudgedTool, ToolDiff } from '../../../../contract/tool.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import { diffLines } from './tool-diff.ts';
import { styleFor, intentCell, type Style } from '../../output/style.ts';
import type { OperationType } from '../../../../contract/operation.ts';
import { OPERATION_TYPES } from '../../../../contract/values.ts';
import { fields } from '../../output/table.ts';

interface ApproveFlags {
  hash?: string;
  keepOperation?: boolean;
  yes?: boolean;
}

type Request = Parameters<Parameters<typeof withProxy>[2]>[0]['request'];
type Choice = 'accept' | 'keep' | 'reject' | 'leave';

const HASH = 'only if the definition still has this hash, as printed by "tools diff"';

export function approveTool(bind: Bind): Command {
  return define('approve', {
    summary: 'Accept the current definition and hints of a tool',
    description:
      'Accept the current definition and hints of a tool, even if the hints became weaker. The command shows what changed and what agents can do afterwards, and asks for confirmation. Scripts need --yes, which skips the question.',
    examples: [
      'mcpproxy tools approve github:list_repos',
      'mcpproxy tools approve github:list_repos --keep-operation',
      'mcpproxy tools approve github:list_repos --yes -o json',
    ],
  })
    .argument('<server:tool>', 'the tool')
    .option('--hash <hash>', HASH)
    .option('--keep-operation', 'accept the definition, but keep the stricter operation')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(
      bind<ApproveFlags>((context, flags, name) => decide(context, { ...flags, name, wanted: 'accept' })),
    );
}

export function rejectTool(bind: Bind): Command {
  return define('reject', {
    summary: 'Withhold a new or changed tool from agents',
    description:
      'Withhold a new or changed tool from agents until it changes again. If the server returns to the accepted definition, agents can use the tool again.',
    examples: ['mcpproxy tools reject github:list_repos', 'mcpproxy tools reject github:list_repos --yes'],
  })
    .argument('<server:tool>', 'the tool')
    .option('--hash <hash>', HASH)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(
      bind<ApproveFlags>((context, flags, name) => decide(context, { ...flags, name, wanted: 'reject' })),
    );
}

interface Decision extends ApproveFlags {
  name: string;
  wanted: 'accept' | 'reject';
}

async function decide(context: Context, decision: Decision): Promise<void> {
  const { name, wanted, hash } = decision;
  const intended = wanted === 'accept' && decision.keepOperation ? 'keep' : wanted;
  requireHash(hash);
  requireAnswer(context, decision);
  const tool = await withProxy(context, 'daemon-or-embedded', async ({ request }) => {
    if (decision.yes) return act(request, intended, { name, hash });
    const diff = await request('diffTool', { name });
    if (hash !== undefined && hash !== diff.definition_hash)
      throw new ProxyError(
        'CONFLICT',
        `Tool '${name}' has changed since it was reviewed; review its diff again`,
      );
    const choice = await ask(context, diff, intended);
    // Only the definition that was shown, even if the tool has changed since.
    return act(request, choice, { name, hash: diff.definition_hash });
  });
  if (!tool) return hint(context, 'Cancelled. The tool is unchanged.');
  await print(context, tool, () => verdictLines(context.style, tool));
}

async function act(
  request: Request,
  choice: Choice,
  { name, hash }: { name: string; hash: string | undefined },
): Promise<JudgedTool | undefined> {
  if (choice === 'leave') return undefined;
  const input = { name, ...(hash !== undefined && { hash }) };
  if (choice === 'reject') return request('rejectTool', input);
  return request('approveTool', { ...input, ...(choice === 'keep' && { keep_operation: 'true' as const }) });
}

/** An unset variable of a script must not mean "any definition". */
function requireHash(hash: string | undefined): void {
  if (hash === undefined || hash.trim() !== '') return;
  throw new ProxyError('USAGE', '--hash is empty. Use the hash that "mcpproxy tools diff" prints');
}

/** A script cannot answer, and the permissions of agents must not change without an answer. */
function requireAnswer({ io }: Context, { name, wanted, yes }: Decision): void {
  if (yes || (io.terminal.in && io.terminal.err)) return;
  const verb = wanted === 'accept' ? 'approve' : 'reject';
  const shown = visibleLine(name);
  throw new ProxyError(
    'USAGE',
    `This changes what agents can call and needs confirmation. Check "mcpproxy tools diff ${shown}", then run: mcpproxy tools ${verb} ${shown} --hash HASH --yes`,
  );
}

async function ask({ io }: Context, diff: ToolDiff, intended: Choice): Promise<Choice> {
  const { approval, name } = diff;
  const tool = visibleLine(name);
  io.err(diffLines(styleFor(io, 'err'), diff));
  const isYes = (text: string) => /^y(es)?$/i.test(text.trim());
  if (intended === 'reject')
    return isYes(await io.ask(`Reject '${tool}'? Agents cannot use it until it changes again. [y/N] `))
      ? 'reject'
      : 'leave';
  if (intended === 'keep')
    return isYes(await io.ask(`Accept '${tool}' and keep it as ${approval.keeps ?? 'any operation'}? [y/N] `))
      ? 'keep'
      : 'leave';
  const canKeep = approval.keeps !== null && approval.keeps !== approval.after.operation;
  const keep = canKeep ? `k = accept, but keep as ${approval.keeps}; ` : '';
  const answer = (await io.ask(`Accept '${tool}'? y = accept; ${keep}r = reject; anything else = cancel: `))
    .trim()
    .toLowerCase();
  if (isYes(answer)) return 'accept';
  if (canKeep && answer === 'k') return 'keep';
  return answer === 'r' ? 'reject' : 'leave';
}

export function setOperation(bind: Bind): Command {
  return define('set-operation', {
    summary: "Set the operator's verdict on a tool, which overrides hints and inference",
    examples: [
      'mcpproxy tools set-operation github:delete_repo destructive',
      'mcpproxy tools set-operation github:delete_repo clear',
    ],
  })
    .argument('<server:tool>', 'the tool')
    .addArgument(
      new Argument('<operation>', 'operation of the tool; clear removes the verdict').choices([
        ...OPERATION_TYPES,
        'clear',
      ]),
    )
    .action(
      bind((context, _, ...args) => {
        const [name, operation] = args as [string, string];
        return changeVerdict(context, ({ request }) =>
          operation === 'clear'
            ? request('clearOperation', { name })
            : request('setOperation', { name, body: { operation: operation as OperationType } }),
        );
      }),
    );
}

type Work = Parameters<typeof withProxy<JudgedTool>>[2];

/** Makes the change and prints the new verdict. */
async function changeVerdict(context: Context, work: Work): Promise<void> {
  const tool = await withProxy(context, 'daemon-or-embedded', work);
  await print(context, tool, () => verdictLines(context.style, tool));
}

export function toolsDiff(bind: Bind): Command {
  return define('diff', {
    summary: 'Show how a tool differs from its accepted definition',
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
            `Accept with: mcpproxy tools approve ${visibleLine(name)} --hash ${diff.definition_hash} (add --keep-operation to keep the stricter operation). Reject with: mcpproxy tools reject ${visibleLine(name)}`,
          );
      }),
    );
}

/** The verdict on a tool after a decision. */
export function verdictLines(style: Style, tool: JudgedTool): string {
  const { verdict, source, reason } = tool.operation;
  return fields(style, [
    ['Tool', tool.name],
    ['Operation', intentCell(style, verdict)],
    ['Decided by', source],
    ['Because', reason],
    ['Call with', tool.call_with],
    [
      'Status',
      tool.withheld ? `${tool.standing}, ${tool.rejected ? 'rejected' : 'withheld from agents'}` : undefined,
    ],
  ]);
}
