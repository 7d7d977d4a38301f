import { ProxyError } from '../../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import type { KnownClient } from '../../client-runtime.ts';

/** The clients that were named, all that are installed, or those that a person chooses on a terminal. */
export async function chooseClients(
  context: Context,
  names: readonly string[],
  all: boolean,
): Promise<string[]> {
  // A name that does not exist is reported first, whether the proxy runs or not.
  if (names.length > 0)
    return [...new Set(await Promise.all(names.map((name) => context.runtime.clients.named(name))))];
  const found = (await context.runtime.clients.find(context.place)).filter((client) => client.found);
  if (found.length === 0)
    throw new ProxyError(
      'USAGE',
      'No client program was found on this machine. Name one, as in "mcpproxy connect claude-code", or print its entry for another machine with --print',
    );
  if (all) return found.map(({ id }) => id);
  const { terminal } = context.io;
  if (!terminal.in || !terminal.err)
    throw new ProxyError(
      'USAGE',
      `Name the clients to connect, as in "mcpproxy connect ${found[0]!.id}", or use --all. On this machine: ${found.map(({ id }) => id).join(', ')}`,
    );
  const chosen = await context.io.select({
    question: 'Connect which clients?',
    rows: found.map((client) => ({ label: labelOf(client), isChosen: true })),
    many: true,
  });
  return (chosen ?? []).map((index) => found[index]!.id);
}

export function labelOf({ title, verified, connected }: KnownClient): string {
  const notes = [...(connected ? ['connected'] : []), ...(verified === null ? ['unverified'] : [])];
  return notes.length === 0 ? title : `${title} (${notes.join(', ')})`;
}
