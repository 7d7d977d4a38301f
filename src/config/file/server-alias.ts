import { createHash } from 'node:crypto';
import { ServerName } from '../../contract/config.ts';

const MAX_ALIAS = 64;
const MAX_READ = 1000;
/** Hex digits of the hash in an alias: at the first attempt, and at later ones after a collision. */
const HASH_LENGTH = 4;
const LONG_HASH_LENGTH = 16;

/**
 * The alias of a server: a plain name itself, or else its plain characters and a hash of the name. It depends on the name alone, so that
 * adding or removing another server never changes it, and an operator's decision about `alias:tool` stays with that server. Only after a
 * collision with another name of the file is there another attempt.
 */
export function aliasFor(name: string, attempt = 0): string {
  if (isPlain(name)) return name;
  const hashLength = attempt === 0 ? HASH_LENGTH : LONG_HASH_LENGTH;
  const hashed = attempt < 2 ? name : `${name}\0${attempt}`;
  const hash = createHash('sha256').update(hashed).digest('hex').slice(0, hashLength);
  const plain = name
    .slice(0, MAX_READ)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, MAX_ALIAS - hashLength - 1)
    .replace(/[_.-]+$/, '');
  return `${plain || 'server'}-${hash}`;
}

/**
 * A unique alias for each name of a file. Plain names come first; all others that collide try again, so that the order in the file does not
 * matter.
 */
export function aliasesFor(names: readonly string[]): Map<string, string> {
  const distinct = [...new Set(names)];
  const aliases = new Map(distinct.filter(isPlain).map((name) => [name, name]));
  let left = distinct.filter((name) => !isPlain(name));
  for (let attempt = 0; left.length > 0; attempt++) {
    const wanted = left.map((name) => aliasFor(name, attempt));
    const uses = new Map<string, number>();
    for (const alias of [...wanted, ...aliases.values()]) uses.set(alias, (uses.get(alias) ?? 0) + 1);
    left = left.filter((name, index) => {
      const isFree = uses.get(wanted[index]!) === 1;
      if (isFree) aliases.set(name, wanted[index]!);
      return !isFree;
    });
  }
  return aliases;
}

/** The first unused alias for a name that is not plain. */
export function freeAlias(name: string, taken: ReadonlySet<string>): string {
  let attempt = 0;
  while (taken.has(aliasFor(name, attempt))) attempt++;
  return aliasFor(name, attempt);
}

const isPlain = (name: string): boolean => ServerName.safeParse(name).success;
