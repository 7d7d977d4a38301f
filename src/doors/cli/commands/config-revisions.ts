import type { Command } from 'commander';
import type { ConfigApplied } from '../../../contract/routes/api.ts';
import { EXIT, ProxyError } from '../../../contract/errors.ts';
import type { ConfigRevision } from '../../../contract/status.ts';
import { counted, visibleLine } from '../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context, type Reached } from '../context.ts';
import { checked, define, type Bind } from '../define.ts';
import { safeJson } from '../output/safe-json.ts';
import { styleFor } from '../output/style.ts';
import { table } from '../output/table.ts';
import { localTime } from '../output/time.ts';
import { changeTable } from './config-accept.ts';
import { readArgs } from './read-args.ts';

interface ApplyFlags {
  dryRun?: boolean;
  yes?: boolean;
}

const ASKS =
  'Prints what changes, with its effect on the protection, and asks for confirmation if something is weakened. With --yes it does not ask. Scripts need --yes for such a change: without a terminal nothing is changed otherwise.';

export function configApply(bind: Bind): Command {
  return define('apply', {
    summary: 'Replace servers, policy and all other shared settings by those of a file',
    description: `Replace servers, policy and all other shared settings by those of a file. With PostgreSQL this is a new revision for all proxies on the database; with config_source "file" it is written to the configuration file. Settings that the file does not name get their default. Local settings (listen, data_dir, database_url, config_source, api_key) have no effect. ${ASKS}`,
    examples: [
      'mcpproxy config apply ./mcp_config.json --dry-run',
      'mcpproxy config apply ./mcp_config.json',
      'mcpproxy config apply ./mcp_config.json --yes -o json',
    ],
  })
    .argument('<file>', 'configuration file, or - for stdin')
    .option('--dry-run', 'only show what would change')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(
      bind<ApplyFlags>(async (context, flags, file) => {
        const text = await readArgs(context.io, file === '-' ? '-' : `@${file}`);
        return replace(context, flags, ({ request }, asked) =>
          request('applyConfig', { body: { text, ...asked } }),
        );
      }),
    );
}

export function configRollback(bind: Bind): Command {
  return define('rollback', {
    summary: 'Put an earlier revision of the shared settings into force again',
    description: `Put an earlier revision of the shared settings into force again, as a new revision. ${ASKS}`,
    examples: ['mcpproxy config rollback 7 --dry-run', 'mcpproxy config rollback 7 --yes'],
  })
    .argument('<revision>', 'number of the revision, as "mcpproxy config history" prints it')
    .option('--dry-run', 'only show what would change')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(
      bind<ApplyFlags>(async (context, flags, given) => {
        if (!/^[1-9]\d{0,14}$/.test(given))
          throw new ProxyError(
            'USAGE',
            'The revision must be a number, as "mcpproxy config history" prints it',
          );
        const revision = Number(given);
        return replace(context, flags, ({ request }, asked) =>
          request('rollbackConfig', { revision, body: asked }),
        );
      }),
    );
}

type Ask = (reached: Reached, asked: { dry_run?: boolean; expected?: number }) => Promise<ConfigApplied>;

/** Only what was shown is applied: a change that comes first makes it a conflict. */
async function replace(context: Context, { dryRun, yes }: ApplyFlags, ask: Ask): Promise<number> {
  const result = await withProxy(context, 'daemon-or-offline', async (reached) => {
    const plan = await ask(reached, { dry_run: true });
    if (dryRun || plan.changes.length === 0) return plan;
    if (yes !== true && !(await isConfirmed(context, plan))) return undefined;
    return ask(reached, plan.revision === null || plan.revision === 0 ? {} : { expected: plan.revision });
  });
  if (!result) {
    hint(context, 'Nothing was changed.');
    return EXIT.refused;
  }
  await print(context, result, () => changeTable(context.style, result.changes));
  if (result.ignored.length > 0)
    hint(context, `Without effect, because each proxy has its own: ${result.ignored.join(', ')}`);
  hint(context, summary(result));
  return EXIT.ok;
}

function summary({ applied, changes, revision }: ConfigApplied): string {
  const which = revision === null ? '' : ` Revision: ${revision}`;
  if (changes.length === 0) return `Nothing to change.${which}`;
  return applied
    ? `Applied ${counted(changes.length, 'change')}.${which}`
    : `${counted(changes.length, 'change')}, not applied.${which}`;
}

async function isConfirmed({ io }: Context, { changes }: ConfigApplied): Promise<boolean> {
  const weakening = changes.filter(({ effect }) => effect === 'weakening').length;
  if (weakening === 0) return true;
  if (!io.terminal.in || !io.terminal.err)
    throw new ProxyError(
      'USAGE',
      `This weakens ${counted(weakening, 'setting')} and needs confirmation on a terminal. Review it with --dry-run, then repeat the command with --yes`,
    );
  io.err(changeTable(styleFor(io, 'err'), changes));
  const answer = await io.ask(`Apply? ${counted(weakening, 'setting')} would be weakened. [y/N] `);
  return /^y(es)?$/i.test(answer.trim());
}

export function configHistory(bind: Bind): Command {
  return define('history', {
    summary: 'List the revisions of the shared settings: who, when and what',
    description:
      'List the revisions of the shared settings in the database, newest first: who made them, when, and what they changed. With config_source "file" there are none; "mcpproxy activity list --type config" lists the changes of the file.',
    examples: ['mcpproxy config history', 'mcpproxy config history --limit 5 -o json'],
  })
    .addOption(
      checked(
        '--limit <count>',
        'at most so many revisions',
        ({ routes }) => routes.listConfigRevisions.query.shape.limit,
      ),
    )
    .action(
      bind<{ limit?: number }>(async (context, { limit }) => {
        const result = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('listConfigRevisions', limit === undefined ? {} : { limit }),
        );
        await print(context, result, () => historyTable(context, result.revisions));
      }),
    );
}

function historyTable({ style }: Context, revisions: ConfigRevision[]): string {
  const columns = [
    { title: 'REVISION', whole: true },
    { title: 'TIME', whole: true },
    { title: 'BY', whole: true },
    { title: 'ACTION', whole: true },
    { title: 'CHANGES' },
  ];
  const rows = revisions.map((each) => [
    String(each.revision),
    localTime(each.at),
    `${visibleLine(each.by)} (${each.source})`,
    each.action,
    each.changed_outside ? 'changed in the database; does not count' : changesText(each.changes),
  ]);
  return table(style, columns, rows);
}

const changesText = (changes: ConfigRevision['changes']) =>
  changes.map(({ path, effect }) => `${visibleLine(path)} (${effect})`).join(', ');

/** `config show --revision`. */
export async function showRevision(context: Context, revision: number): Promise<void> {
  const shown = await withProxy(context, 'daemon-or-offline', ({ request }) =>
    request('getConfigRevision', { revision }),
  );
  await print(context, shown, () => `${safeJson(shown.settings, 2)}\n`);
}
