import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './children.ts';

const OUT = join(ROOT, 'bench/results/js');

/** The parts that run as processes of their own, as plain JavaScript, with the files of the program that they import. */
export function compileParts(): void {
  rmSync(OUT, { recursive: true, force: true });
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(ROOT, 'bench/tsconfig.json')], { stdio: 'inherit' });
  for (const data of ['src/catalog/search/data', 'src/assistant/data'])
    cpSync(join(ROOT, data), join(OUT, data), { recursive: true });
}
