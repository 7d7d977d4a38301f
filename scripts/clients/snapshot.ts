import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Every file below a folder, by relative path, as its bytes in base64. */
export type Snapshot = ReadonlyMap<string, string>;

export function takeSnapshot(folder: string): Snapshot {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [relative(folder, file), readFileSync(file).toString('base64')]));
}

/** The paths that are new, gone or different. */
export function changedPaths(before: Snapshot, after: Snapshot): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).toSorted();
}

export interface Moments {
  readonly beforeConnect: Snapshot;
  readonly afterConnect: Snapshot;
  readonly beforeDisconnect: Snapshot;
  readonly afterDisconnect: Snapshot;
}

/**
 * What `disconnect` left behind. A file that only `connect` changed must be as before, to the byte.
 * A client also writes into its own files while it runs; of such a file the entry of the proxy must be gone.
 */
export function leftBehind(moments: Moments, traces: readonly string[]): string[] {
  const { beforeConnect, afterConnect, beforeDisconnect, afterDisconnect } = moments;
  return changedPaths(beforeConnect, afterConnect).flatMap((path) => {
    const written = afterDisconnect.get(path);
    if (written === beforeConnect.get(path)) return [];
    const byClient = beforeDisconnect.get(path) !== afterConnect.get(path);
    if (!byClient) return [`${path} differs`];
    const text = Buffer.from(written ?? '', 'base64').toString();
    return traces.filter((trace) => text.includes(trace)).map((trace) => `${path} still has ${trace}`);
  });
}
