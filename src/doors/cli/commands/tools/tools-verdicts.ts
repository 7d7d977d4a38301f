import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { ProxyError } from '../../../../contract/errors.ts';
import type { VerdictFile, VerdictImport } from '../../../../contract/tool.ts';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import { readArgs } from '../read-args.ts';
import { safeJson } from '../../output/safe-json.ts';
import { table } from '../../output/table.ts';
import { verdictsSuggest } from './verdicts-suggest.ts';

export function toolsVerdicts(bind: Bind): Command {
  return define('verdicts', {
    summary: "Export, import and suggest the operator's verdicts",
    examples: [
      'mcpproxy tools verdicts export --file verdicts.json',
      'mcpproxy tools verdicts import verdicts.json --dry-run',
      'mcpproxy tools verdicts suggest',
    ],
    subcommands: [verdictsExport(bind), verdictsImport(bind), verdictsSuggest(bind)],
  });
}

function verdictsExport(bind: Bind): Command {
  return define('export', {
    summary: 'Export all verdicts as JSON',
    examples: [
      'mcpproxy tools verdicts export > verdicts.json',
      'mcpproxy tools verdicts export --file verdicts.json',
    ],
    globals: ['config', 'dataDir', 'url', 'apiKey'],
  })
    .option('--file <file>', 'write to this file instead of stdout')
    .action(
      bind<{ file?: string }>(async (context, { file }) => {
        const verdicts = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('exportVerdicts', {}),
        );
        const text = `${safeJson(verdicts, 2)}\n`;
        if (file === undefined) return context.io.out(text);
        await written(file, text);
        hint(context, `Wrote ${counted(verdicts.verdicts.length, 'verdict')} to ${visibleLine(file)}.`);
      }),
    );
}

async function written(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { mode: 0o600 });
  } catch (cause) {
    throw new ProxyError('USAGE', `Cannot write to ${file}: ${(cause as Error).message}`, { file }).withCause(
      cause,
    );
  }
}

function verdictsImport(bind: Bind): Command {
  return define('import', {
    summary: 'Import verdicts from a file; other verdicts stay unchanged',
    examples: [
      'mcpproxy tools verdicts import verdicts.json --dry-run',
      'mcpproxy tools verdicts import verdicts.json',
    ],
  })
    .argument('<file>', 'file written by "verdicts export", or - for stdin')
    .option('--dry-run', 'only show what would change')
    .action(
      bind<{ dryRun?: boolean }>(async (context, { dryRun }, file) => {
        const body = await parsed(await readArgs(context.io, file === '-' ? '-' : `@${file}`), file);
        const query = dryRun ? { dry_run: 'true' as const } : {};
        const result = await withProxy(context, 'daemon-or-embedded', ({ request }) =>
          request('importVerdicts', { ...query, body }),
        );
        await print(context, result, () => changes(context, result));
        hint(context, summary(result));
      }),
    );
}

async function parsed(text: string, file: string): Promise<VerdictFile> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ProxyError('USAGE', `${file} is not valid JSON: ${(cause as Error).message}`, {
      file,
    }).withCause(cause);
  }
  const { VerdictFile, issueText, leafIssues } = await import('../../schemas.ts');
  const checked = VerdictFile.safeParse(value);
  if (checked.success) return checked.data;
  const issue = leafIssues(checked.error.issues)[0]!;
  throw new ProxyError(
    'USAGE',
    `${file} is not a valid file of verdicts: ${issue.path.join('.') || 'top level'}: ${issueText(issue, VerdictFile)}`,
    { file },
  );
}

function changes({ style }: Context, { changed, skipped }: VerdictImport): string {
  if (changed.length + skipped.length === 0) return '';
  return table(
    style,
    [{ title: 'TOOL' }, { title: 'BEFORE' }, { title: 'AFTER' }],
    [
      ...changed.map(({ tool, before, after }) => [tool, before ?? undefined, after]),
      ...skipped.map(({ tool, why }) => [tool, undefined, `skipped: ${why}`]),
    ],
  );
}

function summary({ dry_run: dry, changed, unchanged, skipped, unlisted }: VerdictImport): string {
  const did = dry ? 'would change' : 'changed';
  const unknown = unlisted > 0 ? ` (${unlisted} for tools that no server lists now)` : '';
  return `${counted(changed.length, 'verdict')} ${did}${unknown}, ${unchanged} unchanged, ${skipped.length} skipped.`;
}
