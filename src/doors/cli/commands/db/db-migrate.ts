import type { Command } from 'commander';
import { define, type Bind } from '../../define.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, Interrupted, print, type Context } from '../../context.ts';
import { createProgressBar } from '../../output/progress.ts';
import type { MigrateOptions, MigrateProgress, MigrationReport } from '../../runtime.ts';
import type { Style } from '../../output/style.ts';
import { fields } from '../../output/table.ts';

export function dbMigrate(bind: Bind): Command {
  return define('migrate', {
    summary: 'Move all data from SQLite to PostgreSQL',
    description: `Move the activity log and all other data from the SQLite file to a PostgreSQL server. Stop mcpproxy first: no other process may use the data directory.

The hash chain of the log is verified before and after the move; it keeps its key and its last hash. If the command is interrupted, run it again to continue: nothing is moved twice. The SQLite file is not changed.

Set the destination with --to, --to-file or MCPPROXY_DATABASE_URL. Put a password into the file, MCPPROXY_DATABASE_URL or PGPASSWORD, not into --to: other users can see command lines in the process list.`,
    examples: [
      'MCPPROXY_DATABASE_URL="$(cat ~/.pgurl)" mcpproxy db migrate',
      'mcpproxy db migrate --to-file ~/.pgurl',
      'mcpproxy db migrate --to postgres://mcpproxy@db.example.org/mcpproxy --from ./backup.db -o json',
    ],
    globals: ['output', 'config', 'dataDir'],
  })
    .option('--to <url>', 'the destination: postgres://USER@HOST:PORT/DATABASE')
    .option('--to-file <file>', 'file that contains the URL')
    .option('--from <file>', 'SQLite file (default: the one in the data directory)')
    .option('--allow-broken', 'also move a log that does not verify')
    .action(bind<MigrateOptions>(runMigrate));
}

const LABELS = {
  check: 'Checking the log',
  tables: 'Moving settings, tokens, approvals, tasks and tools',
  log: 'Moving the log',
  verify: 'Verifying the moved log',
} as const satisfies Record<MigrateProgress['step'], string>;

async function runMigrate(context: Context, options: MigrateOptions): Promise<void> {
  const { io, runtime, place } = context;
  const stop = new AbortController();
  const release = io.onInterrupt((exitCode) => stop.abort(new Interrupted(exitCode)));
  const bar = createProgressBar(io);
  try {
    const report = await runtime.db.migrate(place, options, {
      onProgress: ({ step, done, total }) => bar.show(LABELS[step], done, total),
      signal: stop.signal,
    });
    bar.end();
    await print(context, report, () => overview(context.style, report));
    for (const warning of report.warnings) hint(context, `warning: ${visibleLine(warning)}`);
    hint(context, nextStep(report));
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    bar.end();
    io.err('Stopped. The data that was moved so far is kept. Run the same command again to continue.\n');
    throw stop.signal.reason;
  } finally {
    bar.end();
    release();
  }
}

function overview(style: Style, report: MigrationReport): string {
  const paint = report.verdict === 'intact' ? style.colors.green : style.colors.red;
  const records = report.logs.reduce((sum, log) => sum + log.records, 0);
  return fields(style, [
    ['From', visibleLine(report.from)],
    ['To', visibleLine(report.to)],
    ['Log', { text: report.verdict, paint }],
    ['Records', records],
    ['Entries', `${report.entries} (${report.moved} moved by this run)`],
    ...report.logs.map(({ log, head }): [string, string] => [
      `Head of ${visibleLine(log)}`,
      visibleLine(head),
    ]),
    ...report.tables
      .filter(({ rows }) => rows > 0)
      .map(({ table, rows, moved }): [string, string] => [table, `${rows} (${moved} moved by this run)`]),
  ]);
}

/** The URL contains a reference instead of the password, so that the password is not stored in the file. */
function nextStep({ to, config_file: file }: MigrationReport): string {
  const url = to.replace(/^(postgres:\/\/[^@/]*)@/, '$1:${env:PGPASSWORD}@');
  return `Next: set "database_url": "${visibleLine(url)}" in ${visibleLine(file)}, then start mcpproxy. It no longer uses the SQLite file.`;
}
