import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { EXPORT_FORMATS } from '../../../../contract/values.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { visibleLine, visibleText } from '../../../../lib/visible-text.ts';
import { addFilterFlags, filterOf, type FilterFlags } from './activity-flags.ts';
import { hint, withProxy, type Context } from '../../context.ts';
import { choice, define, type Bind } from '../../define.ts';
import { escapeJsonText } from '../../output/safe-json.ts';
import { requireFree } from '../../output/save-file.ts';

type Format = (typeof EXPORT_FORMATS)[number];

interface ExportFlags extends FilterFlags {
  format?: Format;
  output?: string;
  sealed?: string;
  force?: boolean;
}

export function activityExport(bind: Bind): Command {
  const command = define('export', {
    summary: 'Export all matching records as JSON lines or CSV, oldest first',
    examples: [
      'mcpproxy activity export --format csv --since 30d --output activity.csv',
      "mcpproxy activity export --status refused | jq -r '.tool_name'",
      'mcpproxy activity export --sealed evidence && node evidence/verify-sealed.mjs evidence/activity.sealed.jsonl --public-key ~/.mcpproxy/activity-key.pub',
    ],
    globals: ['config', 'dataDir', 'url', 'apiKey'],
  });
  return addFilterFlags(command)
    .addOption(
      choice('--format <format>', 'export format (default: json, one record per line)', EXPORT_FORMATS),
    )
    .option('--output <file>', 'write to this file (readable only by you) instead of stdout')
    .option(
      '--sealed <dir>',
      'export the whole log with its hash chain to this directory, with a verifier that needs only Node.js',
    )
    .option('--force', 'replace an existing export')
    .action(bind<ExportFlags>(runExport));
}

async function runExport(
  context: Context,
  { format = 'json', output: file, sealed, force, ...flags }: ExportFlags,
): Promise<void> {
  if (sealed !== undefined) return exportSealed(context, sealed, { file, flags, force });
  if (file !== undefined) requireFree(file, force);
  const input = { ...filterOf(flags, context.io.now()), format };
  await withProxy(context, 'daemon-or-files', async ({ client, signal }) => {
    const { body } = await client.open('exportActivity', input, { signal });
    const chunks = received(body!);
    await (file === undefined ? toStdout(context, chunks, format) : toFile(chunks, file, signal));
  });
  if (file !== undefined) hint(context, `Written to ${visibleLine(file)}.`);
}

/** The same relative path from `src` and from `dist`. */
const VERIFIER = fileURLToPath(new URL('../../../../../tools/verify-sealed.mjs', import.meta.url));

async function exportSealed(
  context: Context,
  dir: string,
  { file, flags, force }: Pick<ExportFlags, 'force'> & { file: string | undefined; flags: FilterFlags },
): Promise<void> {
  if (file !== undefined || Object.keys(flags).length > 0)
    throw new ProxyError('USAGE', 'A sealed export contains the whole log. Remove the filters and --output');
  const [verifier, log] = ['verify-sealed.mjs', 'activity.sealed.jsonl'].map((name) => join(dir, name)) as [
    string,
    string,
  ];
  requireFree(log, force);
  await makeDirectory(dir);
  await withProxy(context, 'daemon-or-files', async ({ client, signal }) => {
    const { body } = await client.open('exportSealed', {}, { signal });
    await toFile(received(body!), log, signal);
  });
  await copyFile(VERIFIER, verifier);
  const key = await publicKeyFile(context);
  hint(
    context,
    visibleLine(
      `Written to ${dir}. Verify it with: node ${verifier} ${log} --public-key ${key.file} --checkpoint COPY, where COPY is a copy of checkpoints.log that was kept elsewhere`,
    ),
  );
  hint(context, visibleLine(key.about));
}

async function makeDirectory(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw cannotWrite(
      dir,
      code === 'EEXIST' ? 'it is a file, but --sealed needs a directory' : message,
      cause,
    );
  }
}

/** The public key must not be part of the export: an attacker could replace both. */
async function publicKeyFile({ runtime, place }: Context): Promise<{ file: string; about: string }> {
  const from = 'Send the key separately from the export.';
  if (place.url)
    return {
      file: 'activity-key.pub',
      about: `activity-key.pub is in the data directory of the proxy at ${place.url}. ${from}`,
    };
  const { data_dir: dataDir } = await runtime.config.paths(place);
  return { file: join(dataDir, 'activity-key.pub'), about: from };
}

/** Distinguishes a lost connection from a write error. */
async function* received(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    throw new ProxyError(
      'NO_DAEMON',
      `The connection was lost during the export: ${(cause as Error).message}`,
    ).withCause(cause);
  }
}

/** Writes to a partial file first, so that a failed export never replaces a complete one. */
async function toFile(chunks: AsyncIterable<Uint8Array>, file: string, signal: AbortSignal): Promise<void> {
  const partial = `${file}.partial`;
  try {
    await pipeline(chunks, createWriteStream(partial, { mode: 0o600 }), { signal });
    await rename(partial, file);
  } catch (cause) {
    // A failed clean-up must not hide the original error.
    await rm(partial, { force: true }).catch(() => undefined);
    if (cause instanceof ProxyError) throw cause;
    throw cannotWrite(file, (cause as Error).message, cause);
  }
}

function cannotWrite(file: string, why: string, cause: unknown): ProxyError {
  return new ProxyError('USAGE', `Cannot write the export to ${file}: ${why}`, { file }).withCause(cause);
}

/** JSON is always escaped, which does not change its value. CSV is unchanged, except on a terminal. */
async function toStdout({ io }: Context, chunks: AsyncIterable<Uint8Array>, format: Format): Promise<void> {
  const decoder = new TextDecoder();
  const safe = format === 'json' ? escapeJsonText : io.terminal.out ? shown : (text: string) => text;
  for await (const chunk of chunks) await io.out(safe(decoder.decode(chunk, { stream: true })));
  await io.out(safe(decoder.decode()));
}

/** CSV lines end with CR LF; visibleText would show the CR. */
function shown(text: string): string {
  return visibleText(text.replaceAll('\r', ''));
}
