import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './children.ts';

const OUT = join(ROOT, 'bench/results/js');

/** The parts that run as processes of their own, as plain JavaScript. What they import of the program is the built program itself. */
export function compileParts(): void {
  rmSync(OUT, { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(ROOT, 'bench/tsconfig.json')], { stdio: 'inherit' });
  rmSync(join(OUT, 'src'), { recursive: true, force: true });
  symlinkSync(join(ROOT, 'dist'), join(OUT, 'src'));
}
