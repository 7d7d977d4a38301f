// Builds the program into dist/: a few files instead of a thousand, because opening and compiling each of them was most of the time of a start.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { contractWithoutSchemas, ownAddress } from './build-plugins.mjs';
import { sourceLines } from './source-lines.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: {
    main: 'src/main.ts',
    'log/verify/verify-thread': 'src/log/verify/verify-thread.ts',
    'start/connect/background-process': 'src/start/connect/background-process.ts',
  },
  outdir: dist,
  // Beside main.js, so that an address is the same from each of them.
  chunkNames: '[name]-[hash]',
  bundle: true,
  // A package in the older module format that is loaded on demand has only a default export then.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  mainFields: ['module', 'main'],
  // The native part finds its files by its own place; the others are never asked for.
  external: ['@photostructure/sqlite', 'pg-native'],
  plugins: [contractWithoutSchemas(src), ownAddress(src)],
  // The text of the program stays in memory: comments and indents were a quarter of it.
  minifyWhitespace: true,
  lineLimit: 200,
  sourcemap: 'external',
  sourcesContent: false,
  write: false,
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
  // Packages in the older module format ask for Node's own modules by `require`.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
  },
});
for (const { path, text } of outputFiles) {
  const isMap = path.endsWith('.map');
  const place = isMap ? join(dist, 'start/lines', relative(dist, path).replace(/map$/, 'json')) : path;
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, isMap ? sourceLines(text, (source) => sourceName(path, source)) : text);
}
for (const folder of ['catalog/search', 'assistant'])
  cpSync(join(src, folder, 'data'), join(dist, folder, 'data'), { recursive: true });
writeFileSync(join(dist, 'meta.json'), JSON.stringify(parts(metafile.outputs)));
writeFileSync(join(dist, 'LICENSES.txt'), licences(Object.keys(metafile.inputs)));

/** The path of one of our own sources; undefined for a package. */
function sourceName(map, source) {
  const path = relative(root, join(dirname(map), source)).replaceAll('\\', '/');
  return path.startsWith('src/') ? path.replace(/\?.*$/, '') : undefined;
}

/** Which sources are in which file, and which files it loads with itself. */
function parts(outputs) {
  return Object.fromEntries(
    Object.entries(outputs)
      .filter(([path]) => path.endsWith('.js'))
      .map(([path, { entryPoint, imports, inputs }]) => [
        path,
        {
          ...(entryPoint && { entry: entryPoint }),
          loads: imports.filter(({ kind }) => kind !== 'dynamic-import').map((each) => each.path),
          sources: Object.keys(inputs),
        },
      ]),
  );
}

/** The licence of every package whose code stands in the built program. */
function licences(inputs) {
  const folders = new Set(
    inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  return [...folders]
    .sort((a, b) => a.localeCompare(b))
    .map(licence)
    .join(`\n${'-'.repeat(78)}\n\n`);
}

function licence(folder) {
  const path = join(root, folder);
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  if (!license) throw new Error(`${name} names no licence: leave it out of the built program`);
  const file = readdirSync(path).find((entry) => /^(licen[cs]e|copying)(\.|$)/i.test(entry));
  const text = file && existsSync(join(path, file)) ? readFileSync(join(path, file), 'utf8').trim() : '';
  return `${name} ${version} (${license})\n${text && `\n${text}\n`}`;
}
