import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from './clients/install.ts';
import { fetchRuntime, packInto } from './installs/install-package.ts';
import { tryInstalled } from './installs/try-installed.ts';

const USAGE = `Packs the package and uses it as a user would: installed globally and by npx, without install scripts, on several
versions of Node.js, which come from npm into a cache.

  npm run installs              the oldest version that is supported, 22 and 24
  npm run installs -- 24        only these versions

Exit code 0: it works everywhere, 1: it does not, 2: wrong usage.`;

const OLDEST = '20.19.0';
const versions = process.argv.slice(2);
if (versions.some((version) => !/^\d+(\.\d+){0,2}$/.test(version))) {
  console.error(USAGE);
  process.exit(2);
}
const base = mkdtempSync(join(tmpdir(), 'package-'));
process.once('exit', () => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

const mega = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const archive = await packInto(base);
console.log(`packed: ${mega(statSync(archive).size)}`);
let failed = false;
for (const version of versions.length > 0 ? versions : [OLDEST, '22', '24']) {
  const runtime = await fetchRuntime(version, cacheFolder());
  for (const way of ['global', 'npx'] as const) {
    const name = `Node.js ${runtime.version}, ${way === 'npx' ? 'npx' : 'npm install -g'}`;
    try {
      const tried = await tryInstalled(runtime, way, { archive, base });
      const starts = `start ${Math.round(tried.startMs)} ms, again ${Math.round(tried.restartMs)} ms`;
      console.log(
        `${name}: start, call, activity, stop work; installed ${mega(tried.installedBytes)}; ${starts}`,
      );
    } catch (error) {
      failed = true;
      console.log(`${name}: FAILED\n${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
process.exit(failed ? 1 : 0);
