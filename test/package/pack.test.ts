import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';

interface Packed {
  size: number;
  files: Array<{ path: string; size: number; mode: number }>;
}

/** Room above the size of today, so that a package that grows by accident is seen. */
const MAX_BYTES = 8_000_000;
let packed: Packed;
let paths: string[];

beforeAll(() => {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  });
  const answer = JSON.parse(output) as Packed[] | Record<string, Packed>;
  packed = Object.values(answer)[0]!;
  paths = packed.files.map(({ path }) => path);
});

const matching = (pattern: RegExp) => paths.filter((path) => pattern.test(path));

describe('the npm package', () => {
  test('has the program, its data, the web UI, and the licences', () => {
    expect(paths).toEqual(
      expect.arrayContaining([
        'package.json',
        'dist/main.js',
        'dist/LICENSES.txt',
        'dist/start/lines/main.js.json',
        'dist/web/index.html',
        'dist/log/verify/verify-thread.js',
        'dist/start/connect/background-process.js',
        'dist/catalog/search/data/words.bin',
        'LICENSE',
        'THIRD_PARTY_NOTICES.md',
        'README.md',
      ]),
    );
    expect(matching(/^dist\/web\/assets\/.+\.js$/)).not.toEqual([]);
  });

  test('has no tests, sources, source maps or packages', () => {
    expect(
      matching(/\.map$|\.test\.|\.tsx?$|^(test|bench|src|web|scripts|node_modules)\/|meta\.json$/),
    ).toEqual([]);
  });

  test('has nothing that may be a secret, or that belongs to one machine', () => {
    expect(
      matching(
        /(^|\/)\.|api_key|row-key|login-key|\.(db|db-wal|backup|pem|key|log|tgz|env)$|database_password/i,
      ),
    ).toEqual([]);
  });

  test('stays small', () => {
    expect(packed.size).toBeLessThan(MAX_BYTES);
  });
});
