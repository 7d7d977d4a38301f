import type { Command } from 'commander';
import type { RouteOutput } from '../../../../contract/routes/api.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { define, type Bind } from '../../define.ts';

export function upstreamApprove(bind: Bind): Command {
  return define('approve', {
    summary: 'Accept the current definitions of all tools of a server',
    description:
      'Accept the current definitions of all tools of a server: new and changed tools, tools whose hints became weaker, and tools that are withheld because of their text. Check them first with "tools list --withheld", "tools diff" and "tools show" (for the findings of the scanner).',
    examples: ['mcpproxy upstream approve files', 'mcpproxy upstream approve files --yes -o json'],
  })
    .argument('<name>', 'name of the server')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(
      bind<{ yes?: boolean }>(async (context, { yes = false }, name) => {
        requireAnswer(context, name, yes);
        const done = await withProxy(context, 'daemon-or-embedded', async ({ request }) => {
          if (yes) return request('approveServer', { name });
          const waiting = await request('listTools', { server: name, changed: 'true', limit: 1000 });
          return (await confirmed(context, name, waiting)) ? request('approveServer', { name }) : undefined;
        });
        if (!done) return hint(context, 'Cancelled. No tool was accepted.');
        await print(context, done, () => done.approved.map((tool) => `${visibleLine(tool)}\n`).join(''));
        hint(context, `Accepted ${done.approved.length} of ${counted(done.total, 'tool')}.`);
        for (const { tool, why } of done.skipped)
          hint(context, visibleLine(`Not accepted: ${tool} (${why})`));
        // A script must not take "nothing was accepted" for a success.
        return done.skipped.length > 0 && done.approved.length === 0 ? 1 : undefined;
      }),
    );
}

/** A script cannot answer, and the permissions of agents must not change without an answer. */
function requireAnswer({ io }: Context, name: string, yes: boolean): void {
  if (yes || (io.terminal.in && io.terminal.err)) return;
  const server = visibleLine(name);
  throw new ProxyError(
    'USAGE',
    `This changes what agents can call and needs confirmation. Check "mcpproxy tools list --server ${server} --changed", then run: mcpproxy upstream approve ${server} --yes`,
  );
}

const SHOWN = 20;

async function confirmed(
  { io }: Context,
  name: string,
  { tools, total }: RouteOutput<'listTools'>,
): Promise<boolean> {
  const weaker = tools.filter(
    ({ book, rejected }) => !rejected && !book.decision && book.held !== book.hinted,
  );
  for (const { name: tool, book } of weaker.slice(0, SHOWN))
    io.err(
      visibleLine(
        `${tool}: ${book.enforced ?? 'any operation'} now, ${book.hinted ?? 'any operation'} if accepted`,
      ) + '\n',
    );
  if (weaker.length > SHOWN)
    io.err(`… and ${counted(weaker.length - SHOWN, 'more tool', 'more tools')} with weaker hints\n`);
  const answer = await io.ask(
    `Accept all tools of '${visibleLine(name)}'? ${counted(total, 'tool')} new or changed, ${weaker.length} with weaker hints. Agents can then find and call them. [y/N] `,
  );
  return /^y(es)?$/i.test(answer.trim());
}
