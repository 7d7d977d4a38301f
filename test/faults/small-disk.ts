import { execFileSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningProxy } from '../e2e/start-proxy.ts';

/** A disk of a few megabytes needs the right to mount one. Without it, a limit on the size of files stands in. */
export interface SmallDisk {
  kind: 'tmpfs of 8 MB' | 'limit on the size of files';
  fill(proxy: RunningProxy): void;
  free(proxy: RunningProxy): void;
  remove(): void;
}

export const smallDisk = (dir: string): SmallDisk => mounted(dir) ?? limited();

function mounted(dir: string): SmallDisk | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=700', 'tmpfs', dir], { stdio: 'pipe' });
  } catch {
    return null;
  }
  const ballast = join(dir, 'ballast');
  return {
    kind: 'tmpfs of 8 MB',
    fill() {
      const { bavail, bsize } = statfsSync(dir);
      writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    },
    free: () => rmSync(ballast),
    remove: () => void execFileSync('umount', [dir]),
  };
}

function limited(): SmallDisk {
  const limit = (pid: number, size: string) =>
    execFileSync('prlimit', ['--pid', String(pid), `--fsize=${size}:unlimited`]);
  return {
    kind: 'limit on the size of files',
    fill: ({ pid }) => void limit(pid, '4096'),
    free: ({ pid }) => void limit(pid, 'unlimited'),
    remove: () => {},
  };
}
