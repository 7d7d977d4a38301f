import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of its own for a database, in memory. */
export interface Disk {
  dir: string;
  /** Nothing can be added to it. */
  fill(): void;
  free(): void;
  remove(): void;
}

/** Undefined where nothing may be mounted. */
export function mountDisk(): Disk | undefined {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=192m', 'tmpfs', dir], { stdio: 'pipe' });
  } catch {
    rmSync(dir, { recursive: true });
    return undefined;
  }
  // The server runs as another user than root.
  chmodSync(dir, 0o777);
  const ballast = join(dir, 'ballast');
  return {
    dir,
    fill() {
      const { bavail, bsize } = statfsSync(dir);
      writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    },
    free: () => rmSync(ballast, { force: true }),
    remove() {
      execFileSync('umount', ['--lazy', dir]);
      rmSync(dir, { recursive: true });
    },
  };
}
