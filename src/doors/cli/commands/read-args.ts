import { createReadStream } from 'node:fs';
import { ProxyError } from '../../../contract/errors.ts';
import type { Io } from '../io.ts';

/** More than any door accepts, so that the refusal comes from there and is recorded; yet never unbounded. */
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
    throw new ProxyError('USAGE', `cannot read the arguments from ${file}: ${(error as Error).message}`, {
      file,
    }).withCause(error);
  }
}

async function readAll(stream: AsyncIterable<Uint8Array | string>, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size > READ_LIMIT)
      throw new ProxyError('USAGE', `${name} holds more than ${READ_LIMIT / 1024 / 1024} MiB of arguments`);
    chunks.push(bytes);
  }
  // A byte order mark, as some editors write it, is no part of the JSON.
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\ufeff/, '');
}
