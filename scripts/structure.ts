// Prints the shape of the source tree: npm run structure [-- --call]   (--call: also the files that one call_tool_write runs, in the built program)
import { fileURLToPath } from 'node:url';
import { filesOfOneCall } from './structure/call-coverage.ts';
import { findCycles } from './structure/cycles.ts';
import { functionsOf } from './structure/functions.ts';
import { MOST_DOORS, MOST_FILES, MOST_FILES_OF_A_CALL } from './structure/rooms.ts';
import { breaches, doorsOf, foldersOf } from './structure/rules.ts';
import { readTree } from './structure/source-tree.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MOST_COMPLEX = 12;

const files = readTree(ROOT);
const product = files.filter(({ path }) => !path.startsWith('scripts/'));
const print = (line: string) => process.stdout.write(`${line}\n`);

print(
  `source files: ${product.length} in ${foldersOf(files).length} folders, at most ${MOST_FILES} each; the largest:`,
);
for (const [folder, count] of foldersOf(files)
  .sort((a, b) => b[1] - a[1])
  .slice(0, 5))
  print(`  ${String(count).padStart(3)}  ${folder}`);

const cycles = { values: findCycles(files, { types: false }), all: findCycles(files, { types: true }) };
print(`import cycles: ${cycles.values.length} of values, ${cycles.all.length} with types included`);
for (const cycle of cycles.all) print(`  ${cycle.join(' → ')}`);

print(`importable from other rooms (doors): ${doorsOf(files).length} of at most ${MOST_DOORS}`);

const functions = product.flatMap(functionsOf);
const complex = functions.filter(({ complexity }) => complexity > MOST_COMPLEX);
print(`functions over complexity ${MOST_COMPLEX}: ${complex.length} of ${functions.length}`);
for (const { name, path, line, complexity } of complex) print(`  ${complexity}  ${name}  ${path}:${line}`);
print('longest functions, lines without those of functions inside:');
for (const { name, path, line, ownLines } of functions.sort((a, b) => b.ownLines - a.ownLines).slice(0, 5))
  print(`  ${ownLines}  ${name}  ${path}:${line}`);

if (process.argv.includes('--call')) {
  const run = await filesOfOneCall(ROOT);
  print(
    `files of src/ that run code for one call_tool_write: ${run.length} of at most ${MOST_FILES_OF_A_CALL}`,
  );
  for (const path of run.sort()) print(`  ${path.replace(/\.js$/, '.ts')}`);
}

const found = breaches(files);
print(`breaches of the architecture: ${found.length}`);
for (const breach of found) print(`  ${breach}`);
process.exitCode = found.length > 0 ? 1 : 0;
