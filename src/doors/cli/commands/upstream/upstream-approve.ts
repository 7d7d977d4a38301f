import type { Command } from 'commander';
import type { RouteOutput } from '../../../../contract/routes/api.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { define, type Bind } from '../../define.ts';

export function upstreamApprove(bind: Bind): Command {
  return define('approve', {
    summary: 'Accept all tools of a server as they are now',
    description:
      'Accept all tools of a server as they are now: those that are new, that changed, whose hints became weaker, or that are withheld for their text. Look at them first with "tools list --withheld", "tools diff" and, for what the scanner has found, "tools show".',
    examples: ['mcpproxy upstream approve files', 'mcpproxy upstream approve files --yes -o json'],
  })
    .argument('<name>', 'the server')
    .option('-y, --yes', 'do not ask')
    .action(
      bind<{ yes?: boolean }>(async (context, { yes = false }, name) => {
        requireAnswer(context, name, yes);
        const done = await withProxy(context, 'daemon-or-embedded', async ({ request }) => {
          if (yes) return request('approveServer', { name });
          const waiting = await request('listTools', { server: name, changed: 'true', limit: 1000 });
          return (await confirmed(context, name, waiting)) ? request('approveServer', { name }) : undefined;
        });
        if (!done) return hint(context, 'nothing was accepted');
        await print(context, done, () => done.approved.map((tool) => `${visibleLine(tool)}\n`).join(''));
        hint(context, `${done.approved.length} of ${done.total} tools were waiting and are approved now`);
        for (const { tool, why } of done.skipped)
          hint(context, visibleLine(`${tool} goes on waiting: ${why}`));
      }),
    );
}

/** A script cannot answer, and what agents may do must not change without an answer. */
function requireAnswer({ io }: Context, name: string, yes: boolean): void {
  if (yes || (io.terminal.in && io.terminal.err)) return;
  const server = visibleLine(name);
  throw new ProxyError(
    'USAGE',
    `this changes what agents may call and needs an answer. Look at "mcpproxy tools list --server ${server} --changed", then run: mcpproxy upstream approve ${server} --yes`,
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
        `${tool}: held to ${book.enforced ?? 'any operation'}, then to ${book.hinted ?? 'nothing'}`,
      ) + '\n',
    );
  if (weaker.length > SHOWN) io.err(`and ${weaker.length - SHOWN} more with weaker hints\n`);
  const answer = await io.ask(
    `Accept all tools of '${visibleLine(name)}' as they are now? ${total} are new or changed, ${weaker.length} of them with weaker hints. Agents may find and call them afterwards. [y/N] `,
  );
  return /^y(es)?$/i.test(answer.trim());
}
