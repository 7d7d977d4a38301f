import type { Command } from 'commander';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, type Context } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import type { Style } from '../../output/style.ts';
import { fields } from '../../output/table.ts';
import type { RestoreOptions, RestoreReport } from '../../runtime.ts';
import { keyList } from './db-backup.ts';
import { withProgress } from './with-progress.ts';

export function dbRestore(bind: Bind): Command {
  return define('restore', {
    summary: 'Put a back-up in the place of the database',
    description: `Check a back-up, then put it in the place of the database of this installation. Stop mcpproxy first: the command refuses while a proxy uses the data directory or the PostgreSQL database. If there is a database already, the command refuses without --replace.

Nothing is lost: the replaced SQLite file is kept beside the new one with the suffix .replaced-DATE, replaced PostgreSQL tables in a schema named mcpproxy_replaced_DATE, and replaced keys like files. Checkpoints of the data directory stay: if they name entries that the back-up does not have, the log has gone back to an older state, and "activity verify" reports that.

A back-up brings keys. Where there are keys or a database already, the command refuses keys that are not known here, and names their fingerprints, unless you add --trust-keys. In a new data directory it takes them and prints the fingerprints: compare them with what "db backup" printed.

A back-up of SQLite is restored to SQLite, one of PostgreSQL to the PostgreSQL database that database_url names. To change the database, restore first, then run "mcpproxy db migrate".`,
    examples: [
      'mcpproxy db restore /backups/mcpproxy.backup --replace',
      'mcpproxy db restore /backups/mcpproxy.backup --data-dir /srv/mcpproxy -o json',
    ],
    globals: ['output', 'config', 'dataDir'],
  })
    .argument('<file>', 'a file that "mcpproxy db backup" has written')
    .option('--replace', 'replace the database that is there; it is kept under another name')
    .option('--allow-broken', 'also restore a log that does not verify')
    .option(
      '--trust-keys',
      'take keys that are not known here: only for a back-up whose origin you are sure of, as its keys decide which tokens, approvals and records count',
    )
    .action(bind<RestoreOptions>(runRestore));
}

const HOW = {
  labels: { copy: 'Checking the back-up', load: 'Loading the back-up', verify: 'Verifying what was loaded' },
  stopped: 'Stopped. The database in use was not changed.',
};

async function runRestore(context: Context, options: RestoreOptions, file = ''): Promise<void> {
  const { runtime, place } = context;
  const report = await withProgress(context, HOW, (watch) =>
    runtime.db.restore(place, file, { ...options, watch }),
  );
  await print(context, report, () => overview(context.style, report));
  for (const warning of report.warnings) hint(context, `warning: ${visibleLine(warning)}`);
  for (const { log, entries, checkpoint } of report.behind)
    hint(
      context,
      `warning: log ${visibleLine(log)} was restored with ${counted(entries, 'entry', 'entries')}, but a checkpoint of this data directory names ${checkpoint}. Later entries are not in the back-up.`,
    );
  const taken = report.keys.filter(({ known }) => !known);
  if (taken.length > 0)
    hint(
      context,
      `warning: these keys of the back-up count from now on: ${keyList(taken)}. They decide which tokens, approvals and records count. If you are not sure where the back-up comes from, do not start mcpproxy with it.`,
    );
  hint(context, nextStep(report));
}

function overview(style: Style, report: RestoreReport): string {
  const isGood = report.verdict === 'intact' || report.verdict === 'empty';
  return fields(style, [
    ['Back-up', visibleLine(report.file)],
    ['Made', `${visibleLine(report.created_at)} by mcpproxy ${visibleLine(report.version)}`],
    ['Database', visibleLine(report.to)],
    ['Replaced', report.replaced === null ? 'nothing' : `kept as ${visibleLine(report.replaced)}`],
    ['Log', { text: report.verdict, paint: isGood ? style.colors.green : style.colors.red }],
    ['Records', report.records],
    ['Entries', report.entries],
    ['Files', report.files.length === 0 ? 'unchanged' : report.files.map(visibleLine).join(', ')],
  ]);
}

function nextStep({ behind }: RestoreReport): string {
  return behind.length === 0
    ? 'Next: start it with "mcpproxy serve", then run "mcpproxy activity verify".'
    : 'Next: start it with "mcpproxy serve". "mcpproxy activity verify" reports the missing entries until you accept the restore with "mcpproxy activity accept-restore".';
}
