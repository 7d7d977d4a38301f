import { spawn } from 'node:child_process';
import { ProxyError } from '../../contract/errors.ts';
import type { Io } from './io.ts';

/** The variable may contain arguments, as in "code --wait", so a shell reads it; the file is passed apart. */
export async function runEditor({ env }: Io, file: string): Promise<void> {
  const editor = env.VISUAL || env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi');
  const [command, args] =
    process.platform === 'win32'
      ? [`${editor} "${file}"`, []]
      : ['/bin/sh', ['-c', `${editor} "$1"`, 'editor', file]];
  const code = await new Promise<number | null>((done, fail) => {
    const child = spawn(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
    child.once('error', fail);
    child.once('exit', done);
  });
  if (code !== 0)
    throw new ProxyError(
      'USAGE',
      `The editor ended with code ${code}, so nothing was changed. Set EDITOR to another one, or use --set`,
    );
}
