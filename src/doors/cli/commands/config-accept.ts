import type { Command } from 'commander';
import { ProxyError } from '../../../contract/errors.ts';
import type { ConfigChange, ConfigState } from '../../../contract/status.ts';
import { counted } from '../../../lib/visible-text.ts';
import { hint, print, withProxy } from '../context.ts';
import { checked, define, type Bind } from '../define.ts';
import { safeJson } from '../output/safe-json.ts';
import type { Style } from '../output/style.ts';
import { table } from '../output/table.ts';

interface Flags {
  digest?: string;
}

export function configAccept(bind: Bind): Command {
  return define('accept', {
    summary: 'Confirm edits of the configuration file that weaken it',
    description:
      'Confirm edits of the configuration file that weaken it. An edit that waits (see confirm_weakening) takes effect, and the list of weakened settings is cleared. Prints the confirmed changes. The confirmation is recorded.',
    examples: ['mcpproxy config accept', 'mcpproxy config accept --digest DIGEST -o json'],
  })
    .addOption(
      checked(
        '--digest <digest>',
        'confirm only this configuration, as "mcpproxy status" shows it',
        ({ routes }) => routes.acceptConfig.body.shape.digest,
      ),
    )
    .action(
      bind<Flags>(async (context, { digest }) => {
        const { before, after } = await withProxy(context, 'daemon-or-offline', async ({ request }) => {
          const { config_state: state } = await request('status', {});
          if (!state) throw new ProxyError('NOT_FOUND', 'The running mcpproxy is too old for this command');
          const shown = state.waiting?.digest ?? state.digest;
          return {
            before: state,
            after: await request('acceptConfig', { body: { digest: digest ?? shown } }),
          };
        });
        const confirmed = before.waiting?.changes ?? before.weakened;
        await print(context, { digest: after.digest, confirmed }, () =>
          changeTable(context.style, confirmed),
        );
        hint(context, `Confirmed ${counted(confirmed.length, 'change')}. Digest: ${after.digest}`);
      }),
    );
}

export function changeTable(style: Style, changes: ConfigChange[]): string {
  const columns = [
    { title: 'SETTING', whole: true },
    { title: 'EFFECT', whole: true },
    { title: 'BEFORE' },
    { title: 'AFTER' },
  ];
  const rows = changes.map(({ path, effect, before, after }) => [
    path,
    effect,
    valueText(before),
    valueText(after),
  ]);
  return changes.length === 0 ? '' : table(style, columns, rows);
}

const valueText = (value: unknown) => (value === undefined ? undefined : safeJson(value));

/** The edits of the file that need a look, in one line; undefined if there are none. */
export function reviewLine(state: ConfigState | undefined): string | undefined {
  if (!state) return undefined;
  const { waiting, weakened, more } = state;
  if (waiting) {
    const found = waiting.changes.filter(({ effect }) => effect === 'weakening');
    return `An edit of the file waits for a confirmation since ${waiting.since}, because it weakens ${names(found, 0)}; digest ${waiting.digest}`;
  }
  if (weakened.length === 0) return undefined;
  const last = weakened.at(-1)!;
  return `Edits of the file weakened ${names(weakened, more)}; last ${last.source === 'start' ? 'found at the start' : 'edit'} at ${last.at}`;
}

const MAX_NAMED = 10;

function names(changes: ConfigChange[], more: number): string {
  const shown = changes.slice(0, MAX_NAMED).map(({ path, before, after }) => {
    const values = [before, after].map((value) => valueText(value) ?? 'absent or secret');
    return `${path} (${values.join(' → ')})`;
  });
  const rest = changes.length - shown.length + more;
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ');
}
