import type { Command } from 'commander';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, type Context } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import type { Style } from '../../output/style.ts';
import { fields } from '../../output/table.ts';
import type { BackedUpKey, BackupOptions, BackupReport } from '../../runtime.ts';
import { withProgress } from './with-progress.ts';

export function dbBackup(bind: Bind): Command {
  return define('backup', {
    summary: 'Write a verified back-up to one file, also while mcpproxy runs',
    description: `Write the database, and the files that are needed to verify its log, to one file. It works for SQLite and PostgreSQL, while mcpproxy runs: calls go on, and every record that was acknowledged before the command started is in the back-up.

The file appears under its name only when it is complete and its log is verified. Only you can read it; keep it secret. It is an SQLite file, so any SQLite tool can inspect it.

It contains all records with their arguments and responses, agent tokens (as digests), approvals, tasks, conversations, the checkpoints, the public keys, and the key that seals tokens and approvals (row-key). It does not contain the configuration file, nor the secrets in secrets/ of the data directory that the configuration file refers to: copy both. Without --with-keys it contains neither the private key that signs the log nor the API key.

The command prints the fingerprints of the keys in the file. Note them elsewhere: "db restore" prints them too.`,
    examples: [
      'mcpproxy db backup /backups/mcpproxy-$(date +%F).backup',
      'mcpproxy db backup /backups/mcpproxy.backup --force -o json',
      'mcpproxy db backup /safe/mcpproxy.backup --with-keys',
    ],
    globals: ['output', 'config', 'dataDir'],
  })
    .argument('<file>', 'the back-up to write')
    .option('--with-keys', 'include the private signing key and the API key: protect the file like them')
    .option('--force', 'replace an existing back-up')
    .option('--allow-broken', 'also back up a log that does not verify')
    .action(bind<BackupOptions>(runBackup));
}

const HOW = {
  labels: { copy: 'Copying the database', verify: 'Verifying the back-up', load: 'Loading the back-up' },
  stopped: 'Stopped. No back-up was written.',
};

const NOT_INCLUDED =
  'Also copy the configuration file ("mcpproxy config path" prints its path) and the folder secrets/ of the data directory, if there is one: they are not in the back-up, and servers whose secrets are missing do not start.';

async function runBackup(context: Context, options: BackupOptions, file = ''): Promise<void> {
  const { runtime, place } = context;
  const report = await withProgress(context, HOW, (watch) =>
    runtime.db.backup(place, file, { ...options, watch }),
  );
  await print(context, report, () => overview(context.style, report));
  for (const warning of report.warnings) hint(context, `warning: ${visibleLine(warning)}`);
  hint(
    context,
    report.with_keys
      ? 'The file contains the private signing key and the API key: a reader of it can sign log entries and administer the proxy.'
      : 'Keep the file secret: it contains all records and the key that seals tokens and approvals. Not included: the private signing key and the API key. Restored on another machine, the log continues with a new key.',
  );
  hint(context, NOT_INCLUDED);
}

function overview(style: Style, report: BackupReport): string {
  const isGood = report.verdict === 'intact' || report.verdict === 'empty';
  return fields(style, [
    ['Back-up', visibleLine(report.file)],
    ['Database', visibleLine(report.source)],
    ['Log', { text: report.verdict, paint: isGood ? style.colors.green : style.colors.red }],
    ['Records', report.records],
    ['Entries', report.entries],
    ['Files', report.files.map(visibleLine).join(', ')],
    ['Keys', keyList(report.keys)],
    ['Bytes', report.bytes],
    ['SHA-256', report.sha256],
  ]);
}

export const keyList = (keys: ReadonlyArray<Omit<BackedUpKey, 'known'>>): string =>
  keys.length === 0 ? 'none' : keys.map(({ kind, fingerprint }) => `${kind} ${fingerprint}`).join(', ');
