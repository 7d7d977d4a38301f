import type { Command } from 'commander';
import { ProxyError } from '../../../../contract/errors.ts';
import type { ResourceResult } from '../../../../contract/item.ts';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { checked, define, type Bind } from '../../define.ts';
import { contentText } from '../../output/content.ts';
import { requireFree, saveFile } from '../../output/save-file.ts';
import { table } from '../../output/table.ts';

export function resources(bind: Bind): Command {
  return define('resources', {
    summary: 'List and read the resources of all servers',
    examples: [
      'mcpproxy resources list',
      'mcpproxy resources list --templates',
      'mcpproxy resources read mcpproxy://files/file:///notes.txt',
    ],
    subcommands: [resourcesList(bind), resourcesRead(bind)],
  });
}

interface ListFlags {
  server?: string;
  templates?: boolean;
  limit?: number;
  cursor?: string;
}

function resourcesList(bind: Bind): Command {
  return define('list', {
    summary: 'List all resources, or their URI templates',
    examples: ['mcpproxy resources list', 'mcpproxy resources list --server files --templates -o json'],
  })
    .option('--server <name>', 'only resources of this server')
    .option('--templates', 'URI templates instead of resources')
    .addOption(
      checked(
        '--limit <n>',
        'resources per page (1–1000, default 100)',
        ({ routes }) => routes.listResources.query.shape.limit,
      ),
    )
    .addOption(
      checked(
        '--cursor <cursor>',
        'continue after the previous page',
        ({ routes }) => routes.listResources.query.shape.cursor,
      ),
    )
    .action(bind<ListFlags>(runList));
}

async function runList(context: Context, { templates, ...flags }: ListFlags): Promise<void> {
  const input = { ...flags, ...(templates && { templates: 'true' as const }) };
  const page = await withProxy(context, 'daemon-or-embedded', ({ request }) =>
    request('listResources', input),
  );
  const columns = ['URI', 'NAME', 'TYPE', 'DESCRIPTION'].map((title) => ({ title }));
  await print(context, page, () =>
    table(
      context.style,
      columns,
      page.resources.map(({ uri, name, title, mime_type, description }) => [
        uri,
        title ?? name,
        mime_type ?? '',
        (description ?? '').split('\n', 1)[0]!,
      ]),
    ),
  );
  const noun = templates ? 'template' : 'resource';
  if (page.next_cursor !== null)
    hint(
      context,
      `Showing ${page.resources.length} of ${counted(page.total, noun)}. For more add: --limit N or --cursor ${visibleLine(page.next_cursor)}`,
    );
  else if (page.total === 0) hint(context, `No ${noun}s: no connected server offers any that match.`);
}

function resourcesRead(bind: Bind): Command {
  return define('read', {
    summary: 'Read a resource',
    examples: [
      'mcpproxy resources read mcpproxy://files/file:///notes.txt',
      'mcpproxy resources read file:///notes.txt --reason "Preparing the report" -o json',
      'mcpproxy resources read mcpproxy://files/file:///logo.png --save logo.png',
    ],
  })
    .argument('<uri>', 'the URI, as printed by "resources list"')
    .option('--reason <text>', 'reason, for the activity log')
    .option('--save <file>', 'write the content to this file (readable only by you) instead of stdout')
    .option('--force', 'replace an existing file')
    .action(bind<ReadFlags>(runRead));
}

interface ReadFlags {
  reason?: string;
  save?: string;
  force?: boolean;
}

async function runRead(context: Context, { reason, save, force }: ReadFlags, uri: string): Promise<void> {
  if (save !== undefined) requireFree(save, force);
  const body = { uri, ...(reason !== undefined && { reason }) };
  const result = await withProxy(context, 'daemon-or-embedded', ({ request }) =>
    request('readResource', { body }),
  );
  if (save === undefined) {
    await print(context, result, () => resourceText(result));
    if (result.contents?.some(({ blob }) => typeof blob === 'string'))
      hint(context, 'To get the content itself, add: --save FILE');
    return;
  }
  await saveFile(save, contentOf(result), force);
  hint(context, `Written to ${visibleLine(save)}.`);
}

/** Of a resource that consists of one part, as nearly all do. */
function contentOf({ contents = [] }: ResourceResult): string | Uint8Array {
  const [part, ...more] = contents;
  if (part && more.length === 0) {
    if (typeof part.blob === 'string') return Buffer.from(part.blob, 'base64');
    if (typeof part.text === 'string') return part.text;
  }
  throw new ProxyError(
    'USAGE',
    `The resource has ${counted(contents.length, 'part')} and cannot be saved as one file. Use -o json instead of --save`,
  );
}

function resourceText({ contents = [] }: ResourceResult): string {
  return contentText({ content: contents.map((resource) => ({ type: 'resource', resource })) });
}
