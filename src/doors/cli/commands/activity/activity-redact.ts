import type { Command } from 'commander';
import { hint, print, withProxy } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import { resolveId, SHORTEST_PREFIX } from './record-id.ts';
import { fields } from '../../output/table.ts';

export function activityRedact(bind: Bind): Command {
  return define('redact', {
    summary: 'Remove what was said in a record, and keep that it happened',
    description:
      'Remove arguments, response, error text and reason of a record for good. The record itself stays, says that it was redacted, and the log still verifies.',
    examples: [
      'mcpproxy activity redact 01JG2Z7K4MQX3V8R5T9W2Y6B1C',
      'mcpproxy activity redact 01JG2Z7K4M --reason "personal data, request of 3 March"',
    ],
  })
    .argument('<id>', `the id, or at least ${SHORTEST_PREFIX} characters of its beginning`)
    .option('--reason <text>', 'why; kept in the record')
    .action(
      bind<{ reason?: string }>(async (context, { reason }, given) => {
        const record = await withProxy(context, 'daemon-or-offline', async (reached) =>
          reached.request('redactActivity', {
            id: await resolveId(reached, given),
            body: reason === undefined ? {} : { reason },
          }),
        );
        await print(context, record, () => fields(context.style, [['Redacted', record.id]]));
        hint(context, 'exports and copies of the database that were made before still hold it');
      }),
    );
}
