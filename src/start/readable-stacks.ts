import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

/** Of the built program; beside the sources there is no such folder. */
const LINES = new URL('./lines/', import.meta.url);
const BUILT = new URL('../', import.meta.url).href;
const maps = new Map<string, SourceMap | undefined>();

/**
 * Stack traces of the built program name files and lines of `src/`. The build writes where these begin; it is read when the first stack is
 * looked at.
 */
export function installReadableStacks(): void {
  if (!existsSync(LINES)) return;
  Error.prepareStackTrace = (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${readable(frame)}`)].join('\n');
}

function headOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}

function readable(frame: NodeJS.CallSite): string {
  const text = (frame as { toString(): string }).toString();
  const file = frame.getFileName();
  if (!file?.startsWith(BUILT)) return text;
  const [line, column] = [frame.getLineNumber() ?? 0, frame.getColumnNumber() ?? 0];
  const found = linesOf(file.slice(BUILT.length))?.findEntry(line - 1, column - 1);
  if (!found || !('originalSource' in found) || !found.originalSource) return text;
  return text.replace(`${file}:${line}:${column}`, `${found.originalSource}:${found.originalLine + 1}`);
}

function linesOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readLines(new URL(`${file}.json`, LINES)));
  return maps.get(file);
}

function readLines(place: URL): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(place, 'utf8')));
  } catch {
    return undefined;
  }
}
