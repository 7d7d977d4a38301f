import { RECIPES, titleOf } from '../src/clients/connect/recipes/recipes.ts';
import type { EntryFacts, Places, Recipe } from '../src/clients/connect/recipes/recipe.ts';
import { knownFolders } from '../src/clients/client-programs.ts';

const MARKS = /(<!-- clients: made by `npm run docs` -->\n)[\s\S]*?(<!-- end of clients -->)/;

/** The guide of clients with the table of all that can be connected. */
export function withClients(text: string): string {
  if (!MARKS.test(text)) throw new Error('the guide of clients has no place for the table');
  return text.replace(MARKS, (_, begin: string, end: string) => `${begin}\n${table().join('\n')}\n\n${end}`);
}

function table(): string[] {
  return [
    '| client | name | files (Linux) | where the token is | rules | project files | verified with |',
    '|---|---|---|---|---|---|---|',
    ...RECIPES.map((recipe) => {
      const cells = [
        titleOf(recipe.id),
        `\`${recipe.id}\``,
        filesOf(recipe),
        TOKENS[recipe.token],
        recipe.rules ?? 'none; its own settings decide',
        recipe.project ? 'yes' : 'no',
        recipe.verified ?? '**unverified**',
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  ];
}

const TOKENS = {
  helper: 'data directory; the client runs a command that prints the header',
  file: 'data directory; the entry names the file',
  entry: 'in the entry, in a file for you alone',
} as const;

const PLACES: Places = {
  ...knownFolders({ home: '~', cwd: '.', platform: 'linux', env: {} }),
  cwd: '.',
  exists: () => false,
};
const FACTS: EntryFacts = {
  url: '',
  scope: 'user',
  authorization: '',
  tokenFile: '',
  headerFile: '',
  headerCommand: '',
  stdio: { command: '', args: [], env: {} },
};

function filesOf({ user }: Pick<Recipe, 'user'>): string {
  return user(FACTS, PLACES)
    .map(({ file }) => `\`${file}\``)
    .join(', ');
}
