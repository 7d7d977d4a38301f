import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

export interface Import {
  /** A path from the root for a file of the project, else the name of a package. */
  to: string;
  isLocal: boolean;
  isTypeOnly: boolean;
}

export interface SourceFile {
  /** From the root, with slashes. */
  path: string;
  text: string;
  imports: Import[];
}

const ROOTS = ['src', 'web', 'scripts'];
const SOURCE = /\.[cm]?[jt]sx?$/;
/** Stands for a path that is only known when the program runs. */
export const COMPUTED = '(computed)';

/** All source files of a checkout without their tests, with what each imports. Files that the cache knows unchanged are not parsed again. */
export function readTree(root: string, cache = new Map<string, SourceFile>()): SourceFile[] {
  return ROOTS.flatMap((folder) => filesBelow(join(root, folder)))
    .filter((file) => SOURCE.test(file) && !/\.test\.tsx?$/.test(file))
    .map((file) => {
      const text = readFileSync(file, 'utf8');
      const known = cache.get(file);
      if (known?.text === text) return known;
      const read = readSource(root, file, text);
      cache.set(file, read);
      return read;
    });
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const { name } = entry;
    if (name === 'node_modules' || name === 'dist') return [];
    const path = join(folder, name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

function readSource(root: string, file: string, text: string): SourceFile {
  const { module } = parseSync(file, text);
  const imports: Import[] = [];
  const add = (specifier: string, isTypeOnly: boolean) => {
    const isLocal = specifier.startsWith('.');
    const to = isLocal ? relative(root, resolve(dirname(file), specifier)).replaceAll('\\', '/') : specifier;
    imports.push({ to, isLocal, isTypeOnly });
  };
  for (const { moduleRequest, entries } of module.staticImports)
    add(moduleRequest.value, entries.length > 0 && entries.every((entry) => entry.isType));
  for (const { entries } of module.staticExports)
    for (const { moduleRequest, isType } of entries) if (moduleRequest) add(moduleRequest.value, isType);
  for (const { moduleRequest } of module.dynamicImports) {
    const literal = /^(['"`])(.*)\1$/s.exec(text.slice(moduleRequest.start, moduleRequest.end));
    add(literal && !literal[2]!.includes('${') ? literal[2]! : COMPUTED, false);
  }
  // Types such as `import('./other.ts').Other`, which the list of imports lacks.
  for (const [, , specifier] of text.matchAll(/\bimport\(\s*(['"])(\.[^'"]+)\1\s*\)/g)) add(specifier!, true);
  return { path: relative(root, file).replaceAll('\\', '/'), text, imports };
}
