import type { Surroundings } from '../client-programs.ts';
import { editDocument } from './edit/edit-document.ts';
import type { EntryFacts, Places, Recipe } from './recipes/recipe.ts';
import { titleOf } from './recipes/recipes.ts';

export interface PrintedConnection {
  title: string;
  /** The version with which the connection was tried; null: not verified with the program itself. */
  verified: string | null;
  token_name: string;
  /** The variable for the token; null: the token stands in the text. */
  variable: string | null;
  files: Array<{ file: string; text: string }>;
  notes: readonly string[];
}

/** The files with only our parts in them, for a client on another machine: with a variable where the client can read one. */
export async function printConnection(
  recipe: Recipe,
  facts: EntryFacts,
  { places, around }: { places: Places; around: Surroundings },
): Promise<PrintedConnection> {
  const { project } = recipe;
  const elsewhere: EntryFacts = {
    ...facts,
    authorization: `Bearer ${project?.reference ?? 'mcpp_…'}`,
    tokenFile: '~/mcpproxy.token',
    stdio: {
      command: 'mcpproxy',
      args: ['stdio', '--url', facts.url.replace(/\/mcp$/, '')],
      env: { MCPPROXY_TOKEN: 'mcpp_…' },
    },
  };
  const files: PrintedConnection['files'] = [];
  for (const part of project ? project.parts(elsewhere, places) : recipe.user(elsewhere, places)) {
    const file = shortened(part.file, around);
    if ('text' in part) {
      files.push({ file, text: part.text });
      continue;
    }
    const edited = await editDocument(
      '',
      part.syntax,
      typeof part.edits === 'function' ? part.edits({}) : part.edits,
    );
    if ('text' in edited) files.push({ file, text: edited.text });
  }
  return {
    title: titleOf(recipe.id),
    verified: recipe.verified ?? null,
    // Not that of the client on this machine, which would lose its token.
    token_name: `${recipe.id}-elsewhere`,
    variable: project?.variable ?? null,
    files,
    notes: recipe.notes ?? [],
  };
}

function shortened(file: string, { home, cwd }: Surroundings): string {
  if (file.startsWith(`${cwd}/`)) return file.slice(cwd.length + 1);
  return file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
}
