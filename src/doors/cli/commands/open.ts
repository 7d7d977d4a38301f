import type { Command } from 'commander';
import { hint, print, withProxy } from '../context.ts';
import { define, type Bind } from '../define.ts';

export function open(bind: Bind): Command {
  return define('open', {
    summary: 'Print a log-in link to the web UI',
    description:
      'Print a link to the web UI of the running daemon. It logs in one browser, once, within ten minutes. It does not contain the API key. The link goes to stdout, also if stdout is a file or a pipe: treat it as a secret, because anyone who has it can log in until it is used or expires.',
    examples: ['mcpproxy open', 'mcpproxy open -o json'],
  }).action(
    bind(async (context) => {
      const link = await withProxy(context, 'daemon', ({ request }) => request('createLoginLink', {}));
      await print(context, link, () => `${link.url}\n`);
      hint(context, 'Open the link in a browser on this machine. It works once, within ten minutes.');
    }),
  );
}
