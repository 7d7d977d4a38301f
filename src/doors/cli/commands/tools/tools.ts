import type { Command } from 'commander';
import type { RouteOutput } from '../../../../contract/routes/api.ts';
import type { OperationType } from '../../../../contract/operation.ts';
import { OPERATION_TYPES } from '../../../../contract/values.ts';
import type { JudgedTool, ScoredTool } from '../../../../contract/tool.ts';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { checked, choice, define, type Bind } from '../../define.ts';
import { intentCell, type Style } from '../../output/style.ts';
import { table, type Cell, type Column } from '../../output/table.ts';
import { toolsDiff } from './tools-decide.ts';
import { approveTool, rejectTool } from './tools-decide.ts';
import { setOperation } from './tools-decide.ts';
import { toolsShow } from './tools-show.ts';
import { toolsVerdicts } from './tools-verdicts.ts';

export function tools(bind: Bind): Command {
  return define('tools', {
    summary: 'List, search and classify the tools of all servers',
    examples: [
      'mcpproxy tools list',
      'mcpproxy tools search "create issue"',
      'mcpproxy tools show tasks:delete_task',
    ],
    subcommands: [
      toolsList(bind),
      toolsSearch(bind),
      toolsShow(bind),
      toolsDiff(bind),
      setOperation(bind),
      approveTool(bind),
      rejectTool(bind),
      toolsVerdicts(bind),
    ],
  });
}

interface ListFlags {
  server?: string;
  operation?: OperationType;
  inferred?: OperationType;
  unannotated?: boolean;
  changed?: boolean;
  withheld?: boolean;
  suspicious?: boolean;
  limit?: number;
  cursor?: string;
}

function toolsList(bind: Bind): Command {
  return define('list', {
    summary: 'List all tools by name',
    examples: [
      'mcpproxy tools list',
      'mcpproxy tools list --unannotated --inferred destructive',
      'mcpproxy tools list --changed -o json',
    ],
  })
    .option('--server <name>', 'only tools of this server')
    .addOption(choice('--operation <operation>', 'only tools with this verdict', OPERATION_TYPES))
    .addOption(choice('--inferred <operation>', 'only tools with this inferred operation', OPERATION_TYPES))
    .option('--unannotated', 'only tools without hints from their server')
    .option('--changed', 'only tools that are new or differ from the accepted definition')
    .option('--suspicious', 'only tools with text that looks like instructions for the model')
    .option('--withheld', 'only tools that are withheld from agents until they are approved')
    .addOption(
      checked(
        '--limit <n>',
        'tools per page (1–1000, default 100)',
        ({ routes }) => routes.listTools.query.shape.limit,
      ),
    )
    .addOption(
      checked(
        '--cursor <cursor>',
        'continue after the previous page',
        ({ routes }) => routes.listTools.query.shape.cursor,
      ),
    )
    .action(bind<ListFlags>(runList));
}

async function runList(context: Context, flags: ListFlags): Promise<void> {
  const { unannotated, changed, withheld, suspicious, ...rest } = flags;
  const input = {
    ...rest,
    ...(unannotated && { unannotated: 'true' as const }),
    ...(changed && { changed: 'true' as const }),
    ...(withheld && { withheld: 'true' as const }),
    ...(suspicious && { suspicious: 'true' as const }),
  };
  const page = await withProxy(context, 'daemon-or-embedded', ({ request }) => request('listTools', input));
  const { style } = context;
  // Show the column only if the status differs between tools.
  const standing = page.tools.some((tool) => tool.standing !== 'accepted' || tool.withheld);
  const titles = ['TOOL', 'OPERATION', 'SOURCE', ...(standing ? ['STATUS'] : []), 'DESCRIPTION'];
  const columns = titles.map((title) => ({ title }));
  await print(context, page, () =>
    table(
      style,
      columns,
      page.tools.map((tool) => overview(style, tool, standing)),
    ),
  );
  if (page.next_cursor !== null) {
    hint(
      context,
      `Showing ${page.tools.length} of ${counted(page.total, 'tool')}. For more add: --limit N or --cursor ${visibleLine(page.next_cursor)}`,
    );
  } else if (page.total === 0)
    hint(
      context,
      Object.keys(input).length > 0
        ? 'No tools match these filters.'
        : 'No tools. Add a server with "mcpproxy upstream add".',
    );
}

function overview(style: Style, tool: JudgedTool, standing: boolean): Cell[] {
  return [
    tool.name,
    intentCell(style, tool.operation.verdict),
    tool.operation.source,
    ...(standing ? [statusText(tool)] : []),
    firstLine(tool.description),
  ];
}

function statusText({ standing, withheld, rejected }: JudgedTool): string {
  return withheld ? `${standing}, ${rejected ? 'rejected' : 'withheld'}` : standing;
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

interface SearchFlags {
  limit?: number;
  server?: string;
  operation?: OperationType;
  explain?: boolean;
}

function toolsSearch(bind: Bind): Command {
  return define('search', {
    summary: 'Search tools, with the same results that retrieve_tools gives to agents',
    examples: [
      'mcpproxy tools search create issue',
      'mcpproxy tools search "delete file" --operation destructive',
      'mcpproxy tools search tasks --explain',
    ],
  })
    .argument('<words...>', 'what the tool should do')
    .option('--explain', 'show which words matched where')
    .option('--server <name>', 'only tools of this server')
    .addOption(choice('--operation <operation>', 'only tools with this verdict', OPERATION_TYPES))
    .addOption(
      checked(
        '--limit <n>',
        'maximum number of tools (1–50, default 10)',
        ({ routes }) => routes.searchTools.query.shape.limit,
      ),
    )
    .action(
      bind<SearchFlags>((context, flags, words) => runSearch(context, flags, words as unknown as string[])),
    );
}

async function runSearch(
  context: Context,
  { explain, ...flags }: SearchFlags,
  words: string[],
): Promise<void> {
  const input = { ...flags, q: words.join(' '), ...(explain && { explain: 'true' as const }) };
  const found = await withProxy(context, 'daemon-or-embedded', ({ request }) =>
    request('searchTools', input),
  );
  await print(context, found, () => scores(context.style, found, explain === true));
  if (found.tools.length === 0) hint(context, noResultsText(found));
}

function noResultsText({ suggestions }: RouteOutput<'searchTools'>): string {
  const { hint: said = 'No matching tools', words = [], servers = [] } = suggestions ?? {};
  const parts = [
    said,
    ...(words.length > 0 ? [`similar words: ${words.join(', ')}`] : []),
    ...(servers.length > 0 ? [`servers: ${servers.join(', ')}`] : []),
    'see also "mcpproxy tools list"',
  ];
  return visibleLine(parts.join('; '));
}

function scores(style: Style, { tools }: RouteOutput<'searchTools'>, explain: boolean): string {
  const columns: Column[] = [
    { title: 'SCORE', align: 'right', whole: true },
    { title: 'TOOL' },
    { title: 'OPERATION' },
  ];
  columns.push({ title: explain ? 'WHY' : 'DESCRIPTION' });
  const rows = tools.map((tool) => [
    tool.score.toFixed(2),
    tool.name,
    intentCell(style, tool.operation.verdict),
    explain ? why(tool) : firstLine(tool.description),
  ]);
  return table(style, columns, rows);
}

function why(tool: ScoredTool): string {
  return (tool.why ?? [])
    .map(({ term, field, score }) => `${term} in ${field} ${score.toFixed(2)}`)
    .join(', ');
}
