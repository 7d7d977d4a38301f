import { createHash } from 'node:crypto';
import { ServerName } from '../../contract/config.ts';

const LONGEST = 64;
const LONGEST_READ = 1000;
/** Hex digits of the hash in an alias; the second number where the first does not tell two names apart. */
const MARK = 4;
const LONG_MARK = 16;

/**
 * The alias of a server: a plain name is its own; any other gets what is plain of it and a mark from the hash of the name. It depends on the
 * name alone: another entry, added or removed, never moves it, so that what an operator said of `alias:tool` stays with that server.
 */
export function aliasFor(name: string, mark = MARK): string {
  if (ServerName.safeParse(name).success) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, mark);
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

/** The aliases of all names of a file, all different. A name that comes twice gives the same alias twice. */
export function aliasesFor(names: readonly string[]): Map<string, string> {
  const distinct = [...new Set(names)];
  const owners = new Map<string, number>();
  for (const name of distinct) owners.set(aliasFor(name), (owners.get(aliasFor(name)) ?? 0) + 1);
  return new Map(
    distinct.map((name) => {
      const alias = aliasFor(name);
      return [name, alias === name || owners.get(alias) === 1 ? alias : aliasFor(name, LONG_MARK)];
    }),
  );
}
