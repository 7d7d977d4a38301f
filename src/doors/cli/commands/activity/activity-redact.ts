import type { Command } from 'commander';
import type { ActivityRecord } from '../../../../contract/activity.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import { styleFor } from '../../output/style.ts';
import { fields } from '../../output/table.ts';
import { recordDetail } from './activity-show.ts';
import { resolveId, SHORTEST_PREFIX } from './record-id.ts';

interface RedactFlags {
  reason?: string;
  yes?: boolean;
}

export function activityRedact(bind: Bind): Command {
  return define('redact', {
    summary: 'Remove the content of a record and keep the record itself',
    description:
      'Permanently remove the arguments, response, error text and reason of a record. The record itself stays and is marked as redacted, and the log still verifies. The command prints the record and asks for confirmation. With --yes it does not ask. Scripts need --yes: without a terminal nothing is removed otherwise.',
    examples: [
      'mcpproxy activity redact 01JG2Z7K4MQX3V8R5T9W2Y6B1C',
      'mcpproxy activity redact 01JG2Z7K4M --reason "personal data, request of 3 March"',
      'mcpproxy activity redact 01JG2Z7K4MQX3V8R5T9W2Y6B1C --yes',
    ],
  })
    .argument('<id>', `id of the record, or at least its first ${SHORTEST_PREFIX} characters`)
    .option('--reason <text>', 'reason, stored in the record')
    .option('-y, --yes', 'do not ask for confirmation; required without a terminal')
    .action(bind<RedactFlags>(redact));
}

async function redact(context: Context, { reason, yes }: RedactFlags, given: string): Promise<void> {
  if (yes !== true) requireTerminal(context, given);
  const record = await withProxy(context, 'daemon-or-offline', async (reached) => {
    const id = await resolveId(reached, given);
    if (yes !== true && !(await isConfirmed(context, await reached.request('getActivity', { id }))))
      return undefined;
    return reached.request('redactActivity', { id, body: reason === undefined ? {} : { reason } });
  });
  if (!record) return hint(context, 'Nothing was removed.');
  await print(context, record, () => fields(context.style, [['Redacted', record.id]]));
  hint(context, 'Earlier exports and database copies still contain the content.');
}

/** A script cannot answer, and removed content cannot be restored. */
function requireTerminal({ io }: Context, id: string): void {
  if (io.terminal.in && io.terminal.err) return;
  const shown = visibleLine(id);
  throw new ProxyError(
    'USAGE',
    `This permanently removes the content of a record and needs confirmation on a terminal. Check "mcpproxy activity show ${shown}", then run: mcpproxy activity redact ${shown} --yes`,
  );
}

/** Shows the record on the terminal where the question is asked. */
async function isConfirmed({ io }: Context, record: ActivityRecord): Promise<boolean> {
  io.err(`${recordDetail(styleFor(io, 'err'), record)}\n`);
  const answer = await io.ask(
    `Permanently remove arguments, response, error text and reason of ${record.id}? [y/N] `,
  );
  return /^y(es)?$/i.test(answer.trim());
}
