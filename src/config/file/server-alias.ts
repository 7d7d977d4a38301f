import { createHash } from 'node:crypto';
import { ServerName } from '../../contract/config.ts';

const LONGEST = 64;
const LONGEST_READ = 1000;
/** Hex digits of the hash in an alias: at the first attempt, and at the others, where the alias before belongs to another name. */
const MARK = 4;
const LONG_MARK = 16;

/**
 * The alias of a server: a plain name is its own; any other gets what is plain of it and a mark from the hash of the name. It depends on the
 * name alone: another entry, added or removed, never moves it, so that what an operator said of `alias:tool` stays with that server. Only
 * where the alias belongs to another name of the file is there a second attempt, and so on.
 */
export function aliasFor(name: string, attempt = 0): string {
  if (isPlain(name)) return name;
  const mark = attempt === 0 ? MARK : LONG_MARK;
  const hashed = attempt < 2 ? name : `${name}\0${attempt}`;
  const hash = createHash('sha256').update(hashed).digest('hex').slice(0, mark);
  const plain = name
    .slice(0, LONGEST_READ)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, LONGEST - mark - 1)
    .replace(/[_.-]+$/, '');
  return `${plain || 'server'}-${hash}`;
}

/**
 * The aliases of all names of a file, all different. A name that comes twice gives the same alias twice. Plain names have theirs first; of the
 * others, those that want the same alias all try again, so that the order of the file does not matter.
 */
export function aliasesFor(names: readonly string[]): Map<string, string> {
  const distinct = [...new Set(names)];
  const aliases = new Map(distinct.filter(isPlain).map((name) => [name, name]));
  let left = distinct.filter((name) => !isPlain(name));
  for (let attempt = 0; left.length > 0; attempt++) {
    const wanted = left.map((name) => aliasFor(name, attempt));
    const wishes = new Map<string, number>();
    for (const alias of [...wanted, ...aliases.values()]) wishes.set(alias, (wishes.get(alias) ?? 0) + 1);
    left = left.filter((name, index) => {
      const isFree = wishes.get(wanted[index]!) === 1;
      if (isFree) aliases.set(name, wanted[index]!);
      return !isFree;
    });
  }
  return aliases;
}

/** The first alias of a name, which is not plain, that nobody has. */
export function freeAlias(name: string, taken: ReadonlySet<string>): string {
  let attempt = 0;
  while (taken.has(aliasFor(name, attempt))) attempt++;
  return aliasFor(name, attempt);
}

const isPlain = (name: string): boolean => ServerName.safeParse(name).success;
