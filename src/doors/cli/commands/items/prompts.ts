import type { Command } from 'commander';
import type { PromptResult } from '../../../../contract/item.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { checked, define, type Bind } from '../../define.ts';
import { contentText } from '../../output/content.ts';
import { table } from '../../output/table.ts';
import { readArgs } from '../read-args.ts';
import { itemDiffLines } from '../tools/tool-diff.ts';

export function prompts(bind: Bind): Command {
  return define('prompts', {
    summary: 'List and get the prompts of all servers',
    examples: [
      'mcpproxy prompts list',
      'mcpproxy prompts get everything:args-prompt --args \'{"city": "Ulm"}\'',
      'mcpproxy prompts list --withheld',
    ],
    subcommands: [promptsList(bind), promptsGet(bind), promptsDiff(bind), ...decisions(bind)],
  });
}

interface ListFlags {
  server?: string;
  withheld?: boolean;
  limit?: number;
  cursor?: string;
}

function promptsList(bind: Bind): Command {
  return define('list', {
    summary: 'List all prompts by name',
    examples: ['mcpproxy prompts list', 'mcpproxy prompts list --server github -o json'],
  })
    .option('--server <name>', 'only prompts of this server')
    .option('--withheld', 'only prompts that are withheld from agents until they are approved')
    .addOption(
      checked(
        '--limit <n>',
        'prompts per page (1–1000, default 100)',
        ({ routes }) => routes.listPrompts.query.shape.limit,
      ),
    )
    .addOption(
      checked(
        '--cursor <cursor>',
        'continue after the previous page',
        ({ routes }) => routes.listPrompts.query.shape.cursor,
      ),
    )
    .action(bind<ListFlags>(runList));
}

async function runList(context: Context, { withheld, ...flags }: ListFlags): Promise<void> {
  const input = { ...flags, ...(withheld && { withheld: 'true' as const }) };
  const page = await withProxy(context, 'daemon-or-embedded', ({ request }) => request('listPrompts', input));
  const columns = ['PROMPT', 'ARGUMENTS', 'STATUS', 'DESCRIPTION'].map((title) => ({ title }));
  await print(context, page, () =>
    table(
      context.style,
      columns,
      page.prompts.map((prompt) => [
        prompt.name,
        (prompt.arguments ?? []).map(({ name }) => name).join(', '),
        prompt.withheld ? `${prompt.standing}, withheld` : prompt.standing,
        (prompt.description ?? prompt.title ?? '').split('\n', 1)[0]!,
      ]),
    ),
  );
  if (page.next_cursor !== null)
    hint(
      context,
      `Showing ${page.prompts.length} of ${counted(page.total, 'prompt')}. For more add: --limit N or --cursor ${visibleLine(page.next_cursor)}`,
    );
  else if (page.total === 0) hint(context, 'No prompts: no connected server offers any that match.');
}

function promptsGet(bind: Bind): Command {
  return define('get', {
    summary: 'Get a prompt, filled with its arguments',
    examples: [
      'mcpproxy prompts get everything:simple-prompt',
      'mcpproxy prompts get everything:args-prompt --args \'{"city": "Ulm"}\'',
    ],
  })
    .argument('<server:prompt>', 'the prompt, as printed by "prompts list"')
    .option('--args <json>', 'arguments as a JSON object, @file, or - for stdin')
    .option('--reason <text>', 'reason, for the activity log')
    .action(bind<{ args?: string; reason?: string }>(runGet));
}

async function runGet(
  context: Context,
  { args, reason }: { args?: string; reason?: string },
  name: string,
): Promise<void> {
  const body = {
    name,
    ...(args !== undefined && { arguments: parseArgs(await readArgs(context.io, args)) }),
    ...(reason !== undefined && { reason }),
  };
  const result = await withProxy(context, 'daemon-or-embedded', ({ request }) =>
    request('getPrompt', { body }),
  );
  await print(context, result, () => messagesText(result));
}

function parseArgs(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ProxyError('USAGE', `--args is not valid JSON: ${(error as Error).message}`);
  }
}

type Content = NonNullable<Parameters<typeof contentText>[0]['content']>[number];

function messagesText({ messages = [] }: PromptResult): string {
  return messages
    .map(({ role, content }) => `${visibleLine(role)}:\n${contentText({ content: [content as Content] })}`)
    .join('\n');
}

function promptsDiff(bind: Bind): Command {
  return define('diff', {
    summary: 'Show how a prompt differs from its accepted definition',
    examples: ['mcpproxy prompts diff github:review', 'mcpproxy prompts diff github:review -o json'],
  })
    .argument('<server:prompt>', 'the prompt')
    .action(
      bind(async (context, _, name) => {
        const diff = await withProxy(context, 'daemon-or-embedded', ({ request }) =>
          request('diffPrompt', { name }),
        );
        await print(context, diff, () => itemDiffLines(context.style, 'prompt', diff));
        if (diff.withheld)
          hint(
            context,
            `Accept with: mcpproxy prompts approve ${visibleLine(name)} --hash ${diff.definition_hash}`,
          );
      }),
    );
}

const DECISIONS = [
  { verb: 'approve', route: 'approvePrompt', summary: 'Accept the current definition of a prompt' },
  { verb: 'reject', route: 'rejectPrompt', summary: 'Withhold a new or changed prompt from agents' },
] as const;

function decisions(bind: Bind): Command[] {
  return DECISIONS.map(({ verb, route, summary }) =>
    define(verb, {
      summary,
      examples: [
        `mcpproxy prompts ${verb} github:review`,
        `mcpproxy prompts ${verb} github:review --hash HASH -o json`,
      ],
    })
      .argument('<server:prompt>', 'the prompt')
      .option('--hash <hash>', 'only if the definition still has this hash, as printed by "prompts diff"')
      .action(
        bind<{ hash?: string }>(async (context, flags, name) => {
          const prompt = await withProxy(context, 'daemon-or-embedded', ({ request }) =>
            request(route, { name, ...flags }),
          );
          const now = prompt.withheld ? 'withheld from agents' : 'available to agents';
          await print(context, prompt, () => `${visibleLine(prompt.name)} is ${now}.\n`);
        }),
      ),
  );
}
