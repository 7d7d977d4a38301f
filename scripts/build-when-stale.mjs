// Builds dist/ when it is missing or older than any source file, so that `npm start` and `npm test` need no separate step.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Written last, so a build that was cut short counts as none. */
const built = join(root, 'dist', 'web', 'index.html');

function newest(dir) {
  let latest = 0;
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return latest;
}

const sources = Math.max(
  newest(join(root, 'src')),
  newest(join(root, 'web')),
  statSync(join(root, 'package.json')).mtimeMs,
);
if (!existsSync(built) || statSync(built).mtimeMs < sources) {
  process.stderr.write('Building mcpproxy …\n');
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exit(status ?? 1);
}
