import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { ProxyError } from '../../../../contract/errors.ts';
import { issueText } from '../../../../contract/issue-text.ts';
import { VerdictFile, type VerdictImport } from '../../../../contract/tool.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { define, type Bind } from '../../define.ts';
import { readArgs } from '../read-args.ts';
import { safeJson } from '../../output/safe-json.ts';
import { table } from '../../output/table.ts';

export function toolsVerdicts(bind: Bind): Command {
  return define('verdicts', {
    summary: "Carry the operator's decisions from one installation to another",
    examples: [
      'mcpproxy tools verdicts export --file verdicts.json',
      'mcpproxy tools verdicts import verdicts.json --dry-run',
    ],
    subcommands: [verdictsExport(bind), verdictsImport(bind)],
  });
}

function verdictsExport(bind: Bind): Command {
  return define('export', {
    summary: 'All decisions as JSON',
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
        hint(context, `${verdicts.verdicts.length} decisions written to ${visibleLine(file)}`);
      }),
    );
}

async function written(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { mode: 0o600 });
  } catch (cause) {
    throw new ProxyError('USAGE', `cannot write to ${file}: ${(cause as Error).message}`, { file }).withCause(
      cause,
    );
  }
}

function verdictsImport(bind: Bind): Command {
  return define('import', {
    summary: 'Take over decisions from a file; those it does not name stay as they are',
    examples: [
      'mcpproxy tools verdicts import verdicts.json --dry-run',
      'mcpproxy tools verdicts import verdicts.json',
    ],
  })
    .argument('<file>', 'what "verdicts export" wrote; - reads stdin')
    .option('--dry-run', 'only say what would change')
    .action(
      bind<{ dryRun?: boolean }>(async (context, { dryRun }, file) => {
        const body = parsed(await readArgs(context.io, file === '-' ? '-' : `@${file}`), file);
        const query = dryRun ? { dry_run: 'true' as const } : {};
        const result = await withProxy(context, 'daemon-or-embedded', ({ request }) =>
          request('importVerdicts', { ...query, body }),
        );
        await print(context, result, () => changes(context, result));
        hint(context, summary(result));
      }),
    );
}

function parsed(text: string, file: string): VerdictFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ProxyError('USAGE', `${file} is not valid JSON: ${(cause as Error).message}`, {
      file,
    }).withCause(cause);
  }
  const checked = VerdictFile.safeParse(value);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0]!;
  throw new ProxyError(
    'USAGE',
    `${file} is no file of verdicts: ${issue.path.join('.') || 'the whole'}: ${issueText(issue, VerdictFile)}`,
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
  const waiting = unlisted > 0 ? ` (${unlisted} of tools that no server lists now)` : '';
  return `${changed.length} ${did}${waiting}, ${unchanged} are the same already, ${skipped.length} skipped`;
}
