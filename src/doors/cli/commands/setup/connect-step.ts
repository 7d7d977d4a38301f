import type { KnownClient } from '../../client-runtime.ts';
import type { Context, Reached } from '../../context.ts';
import type { ConnectedRow } from '../connect/connected-row.ts';
import { connectRows } from '../connect/connect-clients.ts';
import { labelOf } from '../connect/choose-clients.ts';
import { connectedText } from '../connect/connect-text.ts';
import { withAddresses } from '../connect/check-addresses.ts';
import { withTokens } from '../connect/show-connections.ts';
import { leavingServers } from '../connect/take-servers.ts';
import type { StepDone, StepInput } from './step.ts';

const STEP = 'Clients';

/**
 * Connects the clients of this machine. One that is connected already, as it was written, is left alone, unless its file has servers since
 * that are behind the proxy too.
 */
export async function connectStep(
  context: Context,
  reached: Reached,
  { flags, state }: StepInput,
): Promise<StepDone> {
  const { runtime, place } = context;
  const found = (await runtime.clients.find(place)).filter((client) => client.found);
  if (found.length === 0)
    return { step: STEP, lines: ['no client program was found on this machine'], result: { clients: [] } };
  const { tokens } = await reached.request('listTokens', {});
  const connections = await withAddresses(context, reached, await runtime.clients.status(place));
  const views = withTokens(connections, tokens).filter(({ scope }) => scope === 'user');
  const isFine = async (client: string): Promise<boolean> =>
    views.some((view) => view.client === client && view.state === 'connected') &&
    (flags.keepServers === true ||
      (await leavingServers(context, reached, { client, scope: 'user', mode: 'known' })).length === 0);
  const fine: KnownClient[] = [];
  for (const client of found) if (await isFine(client.id)) fine.push(client);
  const others = found.filter((client) => !fine.includes(client));
  const chosen = flags.yes ? others : await chosenClients(context, others);
  const rows = await connectRows(context, reached, {
    clients: chosen.map(({ id }) => id),
    scope: 'user',
    flags: {},
    // The step before has asked which servers go behind the proxy.
    ...(!flags.keepServers && { take: 'known' }),
    onWritten: ({ client }) => {
      state.clients = [...new Set([...state.clients, client])];
      return runtime.setup.write(place, state);
    },
  });
  return {
    step: STEP,
    lines: [
      ...(rows.length + fine.length === 0 ? ['none chosen'] : []),
      ...connectedText(context, rows)
        .trimEnd()
        .split('\n')
        .filter((line) => line !== ''),
      ...fine.map(({ title }) => `connected already  ${title}`),
      ...failedLine(rows),
    ],
    result: { clients: [...rows, ...fine.map(alreadyRow)] },
    failed: rows.some((row) => row.state === 'failed'),
  };
}

/** The reasons are far above by then. */
function failedLine(rows: readonly ConnectedRow[]): string[] {
  const titles = rows.filter(({ state }) => state === 'failed').map(({ title }) => title);
  return titles.length === 0
    ? []
    : [`not connected: ${titles.join(', ')}. Fix what is said above, then run "mcpproxy setup" again`];
}

async function chosenClients({ io }: Context, clients: readonly KnownClient[]): Promise<KnownClient[]> {
  if (clients.length === 0) return [];
  const chosen = await io.select({
    question: 'Connect which clients?',
    rows: clients.map((client) => ({ label: labelOf(client), isChosen: true })),
    many: true,
  });
  return (chosen ?? []).map((index) => clients[index]!);
}

const alreadyRow = ({ id, title, verified }: KnownClient) => ({
  client: id,
  title,
  state: 'connected',
  scope: 'user',
  verified,
  already: true,
});
