import type { Command } from 'commander';
import { hint, print, withProxy } from '../context.ts';
import { define, type Bind } from '../define.ts';

export function open(bind: Bind): Command {
  return define('open', {
    summary: 'A link to the web UI that logs you in',
    description:
      'Prints a link to the web UI of the running daemon. It logs one browser in, once, within ten minutes. The key itself is never in a link. The link is printed on stdout, also into a file or a pipe: until it is used, or ten minutes are over, whoever reads it can log in, so keep it like a secret.',
    examples: ['mcpproxy open', 'mcpproxy open -o json'],
  }).action(
    bind(async (context) => {
      const link = await withProxy(context, 'daemon', ({ request }) => request('createLoginLink', {}));
      await print(context, link, () => `${link.url}\n`);
      hint(context, 'Open it in a browser on this machine; it works once, for ten minutes.');
    }),
  );
}
