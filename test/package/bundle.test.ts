import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

interface Part {
  entry?: string;
  /** The files that are loaded with this one. */
  loads: string[];
  sources: string[];
}

const PARTS = JSON.parse(readFileSync(new URL('../../dist/meta.json', import.meta.url), 'utf8')) as Record<
  string,
  Part
>;

/** All sources that are loaded before the first line of the entry runs. */
function sourcesOf(entry: string): string[] {
  const [start] = Object.entries(PARTS).find(([, part]) => part.entry === entry) ?? [];
  if (start === undefined)
    throw new Error(`${entry} is not loaded on its own: ${Object.keys(PARTS).join(' ')}`);
  const seen = new Set<string>();
  const load = (path: string) => {
    if (seen.has(path) || !PARTS[path]) return;
    seen.add(path);
    PARTS[path].loads.forEach(load);
  };
  load(start);
  return [...seen].flatMap((path) => PARTS[path]!.sources);
}

const packagesOf = (entry: string) =>
  new Set(sourcesOf(entry).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));

const COMMANDS = Object.values(PARTS)
  .flatMap(({ entry }) => entry ?? [])
  .filter((entry) => entry.startsWith('src/doors/cli/commands/'));

describe('a command loads only what it needs', () => {
  test('the program itself loads no command', () => {
    expect(COMMANDS.length).toBeGreaterThan(10);
    expect(sourcesOf('src/main.ts').filter((path) => path.includes('/commands/'))).toEqual([]);
    expect([...packagesOf('src/main.ts')].sort()).toEqual(['commander', 'picocolors']);
  });

  test.each(COMMANDS)('%s: no schemas, no other client of HTTP', (entry) => {
    const rest = [...packagesOf(entry)].filter(
      (name) => !['commander', 'picocolors', 'jsonc-parser'].includes(name),
    );
    expect(rest).toEqual([]);
    expect(
      sourcesOf(entry).filter(
        (path) => path.startsWith('src/contract/') && !/\?values$|errors\.ts$/.test(path),
      ),
    ).toEqual([]);
  });

  test('the way to a running daemon needs neither schemas nor the parts of one', () => {
    expect([...packagesOf('src/start/connect/connect.ts')]).toEqual(['ulid']);
    expect(
      sourcesOf('src/start/connect/connect.ts').filter((path) =>
        /^src\/(app|db|log|upstream|road)/.test(path),
      ),
    ).toEqual([]);
  });

  test('the relay of stdio clients is light: no schemas, no configuration, no part of a daemon', () => {
    expect([...packagesOf('src/start/stdio.ts')]).toEqual(['ulid']);
    expect(
      sourcesOf('src/start/stdio.ts').filter((path) =>
        /^src\/(app|catalog|db|log|upstream|road)|^src\/config\/index|^src\/contract\/(?!.*\?values$|errors\.ts$|routes\/client\.ts$)/.test(
          path,
        ),
      ),
    ).toEqual([]);
  });
});

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));

/** Prints the stack of the program where it reads its own version. */
const LOOK = `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const read = fs.readFileSync;
fs.readFileSync = (file, ...more) => {
  if (String(file).endsWith('/package.json')) console.error(new Error('looked').stack);
  return read(file, ...more);
};
syncBuiltinESMExports();`;

describe('the built files', () => {
  test('a stack trace names the lines of the sources', () => {
    const look = `data:text/javascript,${encodeURIComponent(LOOK)}`;
    const { stderr } = spawnSync(process.execPath, ['--import', look, `${DIST}main.js`, '--version'], {
      encoding: 'utf8',
    });
    const [, file, line] = /^Error: looked\n.*\n    at (src\/\S+):(\d+)$/m.exec(stderr)!;
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    expect(source.split('\n')[Number(line) - 1]).toContain('readFileSync(');
  });

  test('no character needs two bytes, which would double the memory of its whole file', () => {
    const files = readdirSync(DIST).filter((name) => name.endsWith('.js'));
    // eslint-disable-next-line no-control-regex -- all of ASCII
    const wide = files.filter((name) => /[^\0-\x7f]/.test(readFileSync(`${DIST}${name}`, 'utf8')));
    expect(wide).toEqual([]);
  });
});
