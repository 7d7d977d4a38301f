import { basename } from 'node:path';
import { ProxyError } from '../../../contract/errors.ts';
import { editDistance } from '../../../lib/edit-distance.ts';
import { visibleLine } from '../../../lib/visible-text.ts';
import { CLIENTS, clientNamed } from '../../client-programs.ts';
import type { ConnectionKey } from '../manifest.ts';
import type { Recipe } from './recipe.ts';
import { DESKTOP_RECIPES } from './desktop.ts';
import { EDITOR_RECIPES } from './editor.ts';
import { TERMINAL_RECIPES } from './terminal.ts';

/** Every client that can be connected. */
export const RECIPES: readonly Recipe[] = [...TERMINAL_RECIPES, ...EDITOR_RECIPES, ...DESKTOP_RECIPES];

export function recipeOf(name: string): Recipe {
  const id = clientNamed(name)?.id;
  const recipe = RECIPES.find((each) => each.id === id);
  if (recipe) return recipe;
  const near = nearestIds(name.toLowerCase());
  const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
  throw new ProxyError(
    'USAGE',
    `No client is named '${visibleLine(name)}'.${hint} Clients: ${RECIPES.map((each) => each.id).join(', ')}`,
  );
}

const NEAR = 2;

/** Ids with a small spelling mistake, or of which this is a part. */
function nearestIds(name: string): string[] {
  const ids = RECIPES.map(({ id }) => id);
  const misspelt = ids.filter((id) => editDistance(id, name, NEAR) <= NEAR);
  return misspelt.length > 0 ? misspelt : ids.filter((id) => name.length >= NEAR && id.includes(name));
}

export function projectOf(recipe: Recipe): NonNullable<Recipe['project']> {
  if (recipe.project) return recipe.project;
  const able = RECIPES.filter(({ project }) => project).map(({ id }) => id);
  throw new ProxyError(
    'USAGE',
    `${titleOf(recipe.id)} has no file for servers of a project. Leave --scope out. Clients with such files: ${able.join(', ')}`,
  );
}

export const titleOf = (id: string): string => CLIENTS.find((client) => client.id === id)?.title ?? id;

/** What people see of a client, besides its files. */
export interface ClientNames {
  title: string;
  /** The version with which it was tried; null: not verified with the program itself. */
  verified: string | null;
  /** What makes reads pass and changes ask; null: only the settings of the client itself. */
  rules: string | null;
}

/** Whether its entry starts `mcpproxy stdio`, which needs no address. */
export const usesStdio = (client: string): boolean => RECIPES.find(({ id }) => id === client)?.stdio === true;

export function namesOf(client: string): ClientNames {
  const recipe = RECIPES.find(({ id }) => id === client);
  return { title: titleOf(client), verified: recipe?.verified ?? null, rules: recipe?.rules ?? null };
}

/** The clients that can be connected, for people to choose from. */
export const listConnectable = () =>
  RECIPES.map(({ id, rules }) => ({ id, title: titleOf(id), rules: rules ?? null }));

/** Each connection has a token of its own. */
export function tokenName({ client, folder }: ConnectionKey): string {
  if (folder === null) return client;
  const plain = basename(folder)
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '-')
    .slice(0, 40);
  return `${client}.${plain || 'project'}`;
}
