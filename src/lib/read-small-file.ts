import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/**
 * The text of a regular file of at most so many bytes. A pipe or a device is an error: the name may come from a file of somebody else, and
 * reading it could block for ever or never end.
 */
export function readSmallFile(file: string, maxBytes: number): string {
  // Opening a pipe would otherwise block.
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(handle).isFile()) throw new Error('it is not a file');
    // The system gives some files a size of 0, so the size alone does not tell how much there is to read.
    const buffer = Buffer.alloc(maxBytes + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size <= maxBytes; size += read)
      read = readSync(handle, buffer, size, buffer.length - size, null);
    if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    return buffer.toString('utf8', 0, size);
  } finally {
    closeSync(handle);
  }
}
