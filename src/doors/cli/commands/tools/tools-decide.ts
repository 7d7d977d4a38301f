import { type Command, Argument } from 'commander';
import { ProxyError } from '../../../../contract/errors.ts';
import type { JudgedTool, ToolDiff } from '../../../../contract/tool.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import { diffLines } from './tool-diff.ts';
import { styleFor, intentCell, type Style } from '../../output/style.ts';
import { OperationType } from '../../../../contract/operation.ts';
import { fields } from '../../output/table.ts';

interface ApproveFlags {
  hash?: string;
  keepOperation?: boolean;
  yes?: boolean;
}

type Request = Parameters<Parameters<typeof withProxy>[2]>[0]['request'];
type Choice = 'accept' | 'keep' | 'reject' | 'leave';

const HASH = 'only if its definition is still the one with this hash, as "tools diff" shows it';

export function approveTool(bind: Bind): Command {
  return define('approve', {
    summary: 'Accept a tool as it is now: its definition, and its hints also where they became weaker',
    description:
      'Accept a tool as it is now: its definition, and its hints also where they became weaker. Shows what changed and what agents may do afterwards, and asks. With --yes it does not ask; scripts need that.',
    examples: [
      'mcpproxy tools approve github:list_repos',
      'mcpproxy tools approve github:list_repos --keep-operation',
      'mcpproxy tools approve github:list_repos --yes -o json',
    ],
  })
    .argument('<server:tool>', 'the tool')
    .option('--hash <hash>', HASH)
    .option(
      '--keep-operation',
      'accept the definition, but hold the tool to the stricter operation of before',
    )
    .option('-y, --yes', 'do not ask')
    .action(
      bind<ApproveFlags>((context, flags, name) => decide(context, { ...flags, name, wanted: 'accept' })),
    );
}

export function rejectTool(bind: Bind): Command {
  return define('reject', {
    summary: 'Keep a new or changed tool from agents until it changes again',
    description:
      'Keep a new or changed tool from agents. It is not asked about again until it changes again; where the server returns to the accepted definition, the tool is there again.',
    examples: ['mcpproxy tools reject github:list_repos', 'mcpproxy tools reject github:list_repos --yes'],
  })
    .argument('<server:tool>', 'the tool')
    .option('--hash <hash>', HASH)
    .option('-y, --yes', 'do not ask')
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
    // Exactly what was shown, whatever it has become meanwhile.
    return act(request, choice, { name, hash: diff.definition_hash });
  });
  if (!tool) return hint(context, 'nothing was decided; the tool stays as it is');
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

/** A variable that a script has not set must not turn into "whatever the tool is now". */
function requireHash(hash: string | undefined): void {
  if (hash === undefined || hash.trim() !== '') return;
  throw new ProxyError('USAGE', '--hash is empty: pass the hash that "mcpproxy tools diff" shows');
}

/** A script cannot answer, and what agents may do must not change without an answer. */
function requireAnswer({ io }: Context, { name, wanted, yes }: Decision): void {
  if (yes || (io.terminal.in && io.terminal.err)) return;
  const verb = wanted === 'accept' ? 'approve' : 'reject';
  const shown = visibleLine(name);
  throw new ProxyError(
    'USAGE',
    `this changes what agents may call and needs an answer. Look at "mcpproxy tools diff ${shown}", then run: mcpproxy tools ${verb} ${shown} --hash HASH --yes`,
  );
}

async function ask({ io }: Context, diff: ToolDiff, intended: Choice): Promise<Choice> {
  const { approval, name } = diff;
  const tool = visibleLine(name);
  io.err(diffLines(styleFor(io, 'err'), diff));
  const isYes = (text: string) => /^y(es)?$/i.test(text.trim());
  if (intended === 'reject')
    return isYes(await io.ask(`Reject '${tool}'? Agents do not get it until it changes again. [y/N] `))
      ? 'reject'
      : 'leave';
  if (intended === 'keep')
    return isYes(await io.ask(`Accept '${tool}' and hold it to ${approval.keeps ?? 'nothing'}? [y/N] `))
      ? 'keep'
      : 'leave';
  const canKeep = approval.keeps !== null && approval.keeps !== approval.after.operation;
  const keep = canKeep ? `k = accept, but keep it ${approval.keeps}; ` : '';
  const answer = (
    await io.ask(`Accept '${tool}'? y = yes; ${keep}r = reject it; anything else leaves it as it is: `)
  )
    .trim()
    .toLowerCase();
  if (isYes(answer)) return 'accept';
  if (canKeep && answer === 'k') return 'keep';
  return answer === 'r' ? 'reject' : 'leave';
}

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
      bind((context, _, ...args) => {
        const [name, operation] = args as [string, string];
        return changeVerdict(context, ({ request }) =>
          operation === 'clear'
            ? request('clearOperation', { name })
            : request('setOperation', { name, body: { operation: OperationType.parse(operation) } }),
        );
      }),
    );
}

type Work = Parameters<typeof withProxy<JudgedTool>>[2];

/** Makes the change and shows what the tool is held to now. */
async function changeVerdict(context: Context, work: Work): Promise<void> {
  const tool = await withProxy(context, 'daemon-or-embedded', work);
  await print(context, tool, () => verdictLines(context.style, tool));
}

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

/** What a tool is held to after a decision about it. */
export function verdictLines(style: Style, tool: JudgedTool): string {
  const { verdict, source, reason } = tool.operation;
  return fields(style, [
    ['Tool', tool.name],
    ['Operation', intentCell(style, verdict)],
    ['Decided by', source],
    ['Because', reason],
    ['Call with', tool.call_with],
    [
      'Standing',
      tool.withheld ? `${tool.standing}, ${tool.rejected ? 'rejected' : 'withheld from agents'}` : undefined,
    ],
  ]);
}
