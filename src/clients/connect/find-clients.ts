import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Connected } from './manifest.ts';
import type { Places } from './recipes/recipe.ts';
import { namesOf, RECIPES } from './recipes/recipes.ts';

/** A client of this machine, or one that is not installed here. */
export interface KnownClient {
  id: string;
  title: string;
  found: boolean;
  verified: string | null;
  connected: boolean;
}

/** All clients, those that are installed here first. */
export function findClients(places: Places, connections: readonly Connected[]): KnownClient[] {
  const path = (places.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const isOnPath = (program: string) => path.some((folder) => existsSync(join(folder, program)));
  const known = RECIPES.map(({ id, signs, program }) => ({
    id,
    title: namesOf(id).title,
    verified: namesOf(id).verified,
    found: signs(places).some((each) => existsSync(each)) || (program !== undefined && isOnPath(program)),
    connected: connections.some(({ client }) => client === id),
  }));
  return known.sort((a, b) => Number(b.found) - Number(a.found));
}
