import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { ProxyError } from '../../../contract/errors.ts';

export function requireFree(file: string, force: boolean | undefined): void {
  if (!force && existsSync(file))
    throw new ProxyError('USAGE', `${file} exists. Choose another name, or add --force to replace it`, {
      file,
    });
}

/** Readable only by the person who gave the command. */
export async function saveFile(
  file: string,
  content: string | Uint8Array,
  force: boolean | undefined,
): Promise<void> {
  try {
    await writeFile(file, content, { mode: 0o600, flag: force ? 'w' : 'wx' });
  } catch (cause) {
    const why = (cause as Error).message;
    throw new ProxyError('USAGE', `${file} cannot be written: ${why}`, { file }).withCause(cause);
  }
}
