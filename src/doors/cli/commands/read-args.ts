import { fileProblem } from '../../../lib/visible-text.ts';
import { createReadStream } from 'node:fs';
import { ProxyError } from '../../../contract/errors.ts';
import type { Io } from '../io.ts';

/** More than the proxy accepts, so that the proxy rejects and records larger arguments; but bounded. */
const READ_LIMIT = 32 * 1024 * 1024;

/** `--args`: JSON as given, `@file`, or `-` for stdin. */
export async function readArgs(io: Io, given: string): Promise<string> {
  if (given === '-') return readAll(io.stdin, 'stdin');
  if (!given.startsWith('@')) return given;
  const file = given.slice(1);
  try {
    return await readAll(createReadStream(file), file);
  } catch (error) {
    if (error instanceof ProxyError) throw error;
    throw new ProxyError('USAGE', `Cannot read the arguments from ${file}: ${fileProblem(error)}`, {
      file,
    }).withCause(error);
  }
}

export async function readAll(stream: AsyncIterable<Uint8Array | string>, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size > READ_LIMIT)
      throw new ProxyError('USAGE', `${name} exceeds the limit of ${READ_LIMIT / 1024 / 1024} MiB`);
    chunks.push(bytes);
  }
  // Some editors write a byte order mark, which is not part of the JSON.
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\ufeff/, '');
}
