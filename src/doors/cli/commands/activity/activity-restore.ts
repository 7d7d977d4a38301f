import type { Command } from 'commander';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import { print, withProxy } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import { fields } from '../../output/table.ts';

export function activityAcceptRestore(bind: Bind): Command {
  return define('accept-restore', {
    summary: 'Accept that the log was restored to an older state; this is recorded',
    description:
      'Accept that the log was restored to an older state, so that entries are missing. Until then /readyz, status, doctor and the web UI report it. The acceptance is itself a record, with the number of missing entries. The older checkpoints are kept in a file of the data directory.',
    examples: [
      'mcpproxy activity accept-restore',
      'mcpproxy activity accept-restore --reason "back-up of Monday, disk failure"',
    ],
  })
    .option('--reason <text>', 'stored in the record')
    .action(
      bind<{ reason?: string }>(async (context, { reason }) => {
        const body = reason === undefined ? {} : { reason };
        const result = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('acceptRestore', { body }),
        );
        await print(context, result, () =>
          fields(context.style, [
            ['Accepted', `restored, ${counted(result.missing, 'entry', 'entries')} missing`],
            ['Reason', visibleLine(result.reason)],
            ['Older checkpoints', visibleLine(result.kept_as)],
          ]),
        );
      }),
    );
}
