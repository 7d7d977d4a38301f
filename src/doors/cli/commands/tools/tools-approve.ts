import type { Command } from 'commander';
import { ProxyError } from '../../../../contract/errors.ts';
import type { JudgedTool, ToolDiff } from '../../../../contract/tool.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import { diffLines } from './diff-lines.ts';
import { styleFor } from '../../output/style.ts';
import { verdictLines } from './verdict-lines.ts';

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
    .action(bind<ApproveFlags>((context, flags, name) => decide(context, name, flags, 'accept')));
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
    .action(bind<ApproveFlags>((context, flags, name) => decide(context, name, flags, 'reject')));
}

async function decide(
  context: Context,
  name: string,
  flags: ApproveFlags,
  wanted: 'accept' | 'reject',
): Promise<void> {
  const intended = wanted === 'accept' && flags.keepOperation ? 'keep' : wanted;
  requireHash(flags.hash);
  requireAnswer(context, name, wanted, flags.yes === true);
  const tool = await withProxy(context, 'daemon-or-embedded', async ({ request }) => {
    if (flags.yes) return act(request, name, intended, flags.hash);
    const diff = await request('diffTool', { name });
    if (flags.hash !== undefined && flags.hash !== diff.definition_hash)
      throw new ProxyError(
        'CONFLICT',
        `Tool '${name}' is no longer what was looked at; look at its diff again`,
      );
    const choice = await ask(context, diff, intended);
    // Exactly what was shown, whatever it has become meanwhile.
    return act(request, name, choice, diff.definition_hash);
  });
  if (!tool) return hint(context, 'nothing was decided; the tool stays as it is');
  await print(context, tool, () => verdictLines(context.style, tool));
}

async function act(
  request: Request,
  name: string,
  choice: Choice,
  hash: string | undefined,
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
function requireAnswer({ io }: Context, name: string, wanted: string, yes: boolean): void {
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
