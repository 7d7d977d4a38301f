import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Command } from 'commander';
import { routes } from '../../../../contract/routes/api.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { visibleLine, visibleText } from '../../../../lib/visible-text.ts';
import { addFilterFlags, filterOf, type FilterFlags } from './activity-flags.ts';
import { hint, withProxy, type Context } from '../../context.ts';
import { choice, define, type Bind } from '../../define.ts';
import { escapeJsonText } from '../../output/safe-json.ts';

const Format = routes.exportActivity.query.shape.format.unwrap();
type Format = (typeof Format.options)[number];

interface ExportFlags extends FilterFlags {
  format?: Format;
  output?: string;
  sealed?: string;
}

export function activityExport(bind: Bind): Command {
  const command = define('export', {
    summary: 'All matching records as JSON lines or CSV, oldest first',
    examples: [
      'mcpproxy activity export --format csv --since 30d --output activity.csv',
      "mcpproxy activity export --status refused | jq -r '.tool_name'",
      'mcpproxy activity export --sealed evidence && node evidence/verify-sealed.mjs evidence/activity.sealed.jsonl --public-key ~/.mcpproxy/activity-key.pub',
    ],
    globals: ['config', 'dataDir', 'url', 'apiKey'],
  });
  return addFilterFlags(command)
    .addOption(
      choice('--format <format>', 'what to write (default: json, one record per line)', Format.options),
    )
    .option('--output <file>', 'write to this file, readable for you alone, instead of stdout')
    .option(
      '--sealed <dir>',
      'the whole log with its chain into this directory, with a verifier that needs only Node',
    )
    .action(bind<ExportFlags>(runExport));
}

async function runExport(
  context: Context,
  { format = 'json', output: file, sealed, ...flags }: ExportFlags,
): Promise<void> {
  if (sealed !== undefined) return exportSealed(context, sealed, { file, flags });
  const input = { ...filterOf(flags, context.io.now()), format };
  await withProxy(context, 'daemon-or-offline', async ({ client, signal }) => {
    const { body } = await client.open('exportActivity', input, { signal });
    const chunks = received(body as ReadableStream<Uint8Array>);
    await (file === undefined ? toStdout(context, chunks, format) : toFile(chunks, file, signal));
  });
  if (file !== undefined) hint(context, `written to ${visibleLine(file)}`);
}

/** As far from `src` as from `dist`. */
const VERIFIER = fileURLToPath(new URL('../../../../../tools/verify-sealed.mjs', import.meta.url));

async function exportSealed(
  context: Context,
  dir: string,
  { file, flags }: { file: string | undefined; flags: FilterFlags },
): Promise<void> {
  if (file !== undefined || Object.keys(flags).length > 0)
    throw new ProxyError(
      'USAGE',
      'a sealed export holds the whole log: it takes neither filters nor --output',
    );
  await makeDirectory(dir);
  await withProxy(context, 'daemon-or-offline', async ({ client, signal }) => {
    const { body } = await client.open('exportSealed', {}, { signal });
    await toFile(received(body as ReadableStream<Uint8Array>), join(dir, 'activity.sealed.jsonl'), signal);
  });
  await copyFile(VERIFIER, join(dir, 'verify-sealed.mjs'));
  const [verifier, log] = ['verify-sealed.mjs', 'activity.sealed.jsonl'].map((name) => join(dir, name));
  const key = await publicKeyFile(context);
  hint(
    context,
    visibleLine(`Written to ${dir}. Check it with: node ${verifier} ${log} --public-key ${key.file}`),
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
      code === 'EEXIST' ? 'it is a file, and --sealed takes a directory' : message,
      cause,
    );
  }
}

/** The key must not travel with the export: whoever changes one could exchange the other. */
async function publicKeyFile({ runtime, place }: Context): Promise<{ file: string; about: string }> {
  const from = 'Hand the key over separately from the export.';
  if (place.url)
    return {
      file: 'activity-key.pub',
      about: `activity-key.pub is in the data directory of the proxy at ${place.url}. ${from}`,
    };
  const { data_dir: dataDir } = await runtime.config.paths(place);
  return { file: join(dataDir, 'activity-key.pub'), about: from };
}

/** Tells a connection that broke from a disk that is full. */
async function* received(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    throw new ProxyError('NO_DAEMON', `The export broke off: ${(cause as Error).message}`).withCause(cause);
  }
}

/** Beside its place first: a broken export never replaces a good one. */
async function toFile(chunks: AsyncIterable<Uint8Array>, file: string, signal: AbortSignal): Promise<void> {
  const partial = `${file}.partial`;
  try {
    await pipeline(chunks, createWriteStream(partial, { mode: 0o600 }), { signal });
    await rename(partial, file);
  } catch (cause) {
    // What went wrong first is what is told, also where there is nothing to remove.
    await rm(partial, { force: true }).catch(() => undefined);
    if (cause instanceof ProxyError) throw cause;
    throw cannotWrite(file, (cause as Error).message, cause);
  }
}

function cannotWrite(file: string, why: string, cause: unknown): ProxyError {
  return new ProxyError('USAGE', `cannot write the export to ${file}: ${why}`, { file }).withCause(cause);
}

/** JSON is escaped for everyone, as that changes nothing in its value; CSV is left as it comes, except for a terminal. */
async function toStdout({ io }: Context, chunks: AsyncIterable<Uint8Array>, format: Format): Promise<void> {
  const decoder = new TextDecoder();
  const safe = format === 'json' ? escapeJsonText : io.terminal.out ? shown : (text: string) => text;
  for await (const chunk of chunks) await io.out(safe(decoder.decode(chunk, { stream: true })));
  await io.out(safe(decoder.decode()));
}

/** Lines of CSV end with CR LF; a carriage return of its own would be shown. */
function shown(text: string): string {
  return visibleText(text.replaceAll('\r', ''));
}
