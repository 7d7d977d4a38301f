import type { Command } from 'commander';
import type { JudgedTool } from '../../../../contract/tool.ts';
import { counted } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context, type Reached } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import { table } from '../../output/table.ts';

interface Options {
  server?: string;
  yes?: boolean;
}

export function verdictsSuggest(bind: Bind): Command {
  return define('suggest', {
    summary: 'Show the tools without hints that look like reads, and accept them as reads together',
    description:
      'Show the tools without hints that look like reads, with the reason for each. With --yes, or after a question in a terminal, "read" becomes the verdict of the operator on all of them: agents can then call them as reads. Tools that are withheld, that have a finding, or that have a verdict of the operator are left out.',
    examples: ['mcpproxy tools verdicts suggest', 'mcpproxy tools verdicts suggest --server files --yes'],
  })
    .option('--server <name>', 'only tools of this server')
    .option('-y, --yes', 'accept all without a question')
    .action(
      bind<Options>(async (context, { server, yes = false }) => {
        await withProxy(context, 'daemon-or-embedded', async (connection) => {
          const tools = await suggested(connection, server);
          await print(context, { tools: tools.map(suggestionOf) }, () => suggestions(context, tools));
          if (tools.length === 0) return hint(context, 'No tool without hints looks like a read.');
          if (!(await isAccepted(context, tools.length, yes)))
            return hint(context, 'No verdict was changed.');
          const body = { version: 1 as const, verdicts: tools.map(verdictOf) };
          const { changed, skipped } = await connection.request('importVerdicts', { body });
          hint(context, `${counted(changed.length, 'tool')} accepted as reads, ${skipped.length} skipped.`);
        });
      }),
    );
}

async function suggested({ request }: Reached, server: string | undefined): Promise<JudgedTool[]> {
  const found: JudgedTool[] = [];
  let cursor: string | undefined;
  do {
    const page = await request('listTools', {
      inferred: 'read',
      unannotated: 'true',
      limit: 1000,
      ...(server !== undefined && { server }),
      ...(cursor !== undefined && { cursor }),
    });
    found.push(...page.tools.filter(isOpen));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

const isOpen = ({ book, suspicious, withheld }: JudgedTool) => !book.decision && !suspicious && !withheld;

const suggestionOf = ({ name, book }: JudgedTool) => ({
  name,
  operation: book.inferred.operation,
  reason: book.inferred.reason,
});

function verdictOf({ name, server }: JudgedTool) {
  return { server, tool: name.slice(server.length + 1), operation: 'read' as const };
}

const suggestions = ({ style }: Context, tools: readonly JudgedTool[]): string =>
  tools.length === 0
    ? ''
    : table(
        style,
        [{ title: 'TOOL' }, { title: 'LOOKS LIKE A READ BECAUSE' }],
        tools.map(({ name, book }) => [name, book.inferred.reason]),
      );

/** Without a terminal and without --yes the command only shows. */
async function isAccepted({ io, output }: Context, count: number, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (output !== 'table' || !io.terminal.in || !io.terminal.err) return false;
  const answer = await io.ask(`${counted(count, 'tool')} look like reads. Accept them as reads? [y/N] `);
  return /^y(es)?$/i.test(answer.trim());
}
