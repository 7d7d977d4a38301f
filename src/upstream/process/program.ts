import { statSync } from 'node:fs';
import { ProxyError } from '../../contract/errors.ts';

/** Reports mistakes for which the system's own message would be misleading. */
export function checkProgram(command: string, cwd: string | undefined): void {
  for (const [key, path] of Object.entries({ command, cwd })) {
    if (path?.startsWith('~'))
      throw invalid(
        `${key} ${JSON.stringify(path)} starts with "~", which only a shell expands; write the full path`,
      );
    if (path?.includes('\0')) throw invalid(`${key} contains a NUL character; remove it`);
  }
  if (cwd !== undefined && !isDirectory(cwd))
    throw invalid(`cwd ${JSON.stringify(cwd)} is not a directory; create it or correct the path`);
}

export function describeSpawnError(error: NodeJS.ErrnoException, command: string): Error {
  const name = JSON.stringify(command);
  if (error.code === 'ENOENT')
    return new Error(`command ${name} was not found; install it or give its full path`, { cause: error });
  if (error.code === 'EACCES')
    return new Error(`command ${name} may not be executed; check its permissions`, { cause: error });
  return new Error(`command ${name} could not be started: ${error.message}`, { cause: error });
}

export function describeExit(code: number | null, signal: NodeJS.Signals | null, output: string): string {
  const how = signal ? `was ended by ${signal}` : `exited with code ${code}`;
  return `the process ${how}${quotedOutput(output)}`;
}

/** What the server wrote, marked as its own words. */
export function quotedOutput(output: string): string {
  return output === '' ? '' : `; its output: ${output}`;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function invalid(message: string): ProxyError {
  return new ProxyError('CONFIG_INVALID', message);
}
