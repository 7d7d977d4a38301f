import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** The program of an earlier commit. Its dependencies are those of this tree, so only our own code differs. */
export function buildEarlier(revision: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const commit = git('rev-parse', '--short=12', `${revision}^{commit}`);
  const dir = join(tmpdir(), `mcpproxy-base-${commit}`);
  if (!existsSync(join(dir, 'dist/web/index.html'))) {
    rmSync(dir, { recursive: true, force: true });
    git('clone', '--quiet', '--no-checkout', ROOT, dir);
    execFileSync('git', ['checkout', '--quiet', commit], { cwd: dir });
    symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: dir, stdio: 'inherit' });
  }
  return join(dir, 'dist/main.js');
}
