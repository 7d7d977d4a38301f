// What the build does to the sources beyond bundling them.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { parseSync } from 'oxc-parser';

/** A source file finds the files beside it, data or a thread, by its own address. In dist/ they have the same places, the code has not. */
export function ownAddress(src) {
  return {
    name: 'own-address',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path, suffix }) => {
        if (!path.startsWith(src)) return undefined;
        const place = relative(src, path).replaceAll('\\', '/').replace(/\.ts$/, '.js');
        const address = `new URL(${JSON.stringify(`./${place}`)}, import.meta.url).href`;
        const text = escaped(readFileSync(path, 'utf8'))
          .replace(REQUIRE, '')
          .replaceAll('import.meta.url', address);
        if (suffix !== VALUES) return { loader: 'ts', contents: text.replace(ZOD, WHOLE_ZOD) };
        return { loader: 'ts', contents: withoutSchemas(path, text), pluginData: VALUES };
      });
    },
  };
}

/** One character beyond Latin in a regular expression would double the memory of the whole file; the bundler escapes those in texts only. */
const escaped = (text) =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Without it, `require('…')` is the bundler's: the package becomes a part of the program and is still loaded at its first use. */
const REQUIRE = 'const require = createRequire(import.meta.url);';
const ZOD = "import { z } from 'zod';";
/** Only of a namespace the unused parts, such as messages in forty languages, can be left out. */
const WHOLE_ZOD = "import * as z from 'zod';";
const VALUES = '?values';

/**
 * The command line uses functions and values of the contract, but no schema, except through schemas.ts. So it gets its own copy of these
 * files, in which esbuild may drop the schemas; values that are read from schemas are evaluated now (contract/values.ts).
 */
export function contractWithoutSchemas(src) {
  const contract = join(src, 'contract/');
  const shared = new Set([join(contract, 'errors.ts')]);
  const values = join(contract, 'values.ts');
  const light = ['doors/cli/', 'doors/mcp/relay/', 'token/secret.ts', 'start/connect/agent-token.ts'].map(
    (path) => join(src, path),
  );
  const needsNoSchema = (importer) =>
    light.some((path) => importer.startsWith(path)) && !importer.endsWith('/cli/schemas.ts');
  return {
    name: 'contract-without-schemas',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ path, importer, resolveDir, pluginData }) => {
        const file = join(resolveDir, path);
        if (!file.startsWith(contract) || shared.has(file)) return undefined;
        const isCopy = file === values || pluginData === VALUES || needsNoSchema(importer);
        return isCopy ? { path: file, suffix: VALUES } : undefined;
      });
      onLoad({ filter: /contract\/values\.ts$/ }, async ({ path }) => ({
        loader: 'js',
        contents: await evaluated(path),
      }));
    },
  };
}

const PLAIN = new Set(['ArrowFunctionExpression', 'FunctionExpression', 'Identifier', 'Literal']);

/**
 * Lets esbuild drop a constant that nobody uses: these files do nothing but define. A schema that is used nevertheless fails as soon as
 * the command is loaded, as zod is not there.
 */
function withoutSchemas(path, text) {
  const { program } = parseSync(path, text);
  const initial = program.body
    .flatMap((statement) => (statement.declaration ?? statement).declarations ?? [])
    .flatMap(({ init }) => (init && !PLAIN.has(init.type) ? [init] : []));
  return initial
    .reduceRight(
      (done, { start, end }) =>
        `${done.slice(0, start)}/* @__PURE__ */ (() => (${done.slice(start, end)}))()${done.slice(end)}`,
      text,
    )
    .replace(ZOD, '');
}

/** The exports of a module as plain data. */
async function evaluated(path) {
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  });
  const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`;
  return Object.entries(await import(url))
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join('');
}
