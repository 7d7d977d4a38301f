import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, type Context } from '../../context.ts';

/**
 * The working directory of a program: the one that was given, or the directory of this command if a relative path of the program exists
 * there. The daemon runs in another directory, where the path means something else.
 */
export function startDirectory(
  context: Context,
  program: readonly string[],
  given?: string,
): { cwd?: string } {
  const { io, place } = context;
  // The machine of another daemon has other directories.
  if (place.url !== undefined) return given ? { cwd: given } : {};
  if (given) return { cwd: /^[~$]/.test(given) ? given : resolve(io.cwd, given) };
  const relative = program.find(
    (word, index) => isPath(word, index === 0) && existsSync(resolve(io.cwd, word)),
  );
  if (relative === undefined) return {};
  hint(
    context,
    `'${visibleLine(relative)}' is a path of this directory, so the server runs in ${visibleLine(io.cwd)}.`,
  );
  return { cwd: io.cwd };
}

/** A program without a slash is looked for in PATH. */
function isPath(word: string, isProgram: boolean): boolean {
  return !word.startsWith('-') && !isAbsolute(word) && (isProgram ? /[/\\]/ : /[./\\]/).test(word);
}
