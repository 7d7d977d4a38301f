import type { Context, Reached } from '../../context.ts';
import { chooseClients } from '../connect/choose-clients.ts';
import { connectRows } from '../connect/connect-clients.ts';
import { connectedText } from '../connect/connect-text.ts';
import { withTokens } from '../connect/show-connections.ts';
import type { StepDone, StepInput } from './step.ts';

const STEP = 'Clients';

/** Connects the clients of this machine. One that is connected already, as it was written, is left alone. */
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
  const views = withTokens(await runtime.clients.status(place), tokens).filter(
    ({ scope }) => scope === 'user',
  );
  const isFine = (id: string) => views.some((view) => view.client === id && view.state === 'connected');
  const chosen = flags.yes
    ? found.map(({ id }) => id).filter((id) => !isFine(id))
    : await chooseClients(context, [], false);
  const quiet = found
    .filter(({ id }) => !chosen.includes(id) && isFine(id))
    .map(({ title }) => `connected already  ${title}`);
  const rows = await connectRows(context, reached, {
    clients: chosen,
    scope: 'user',
    flags: { takeServers: flags.yes === true && flags.keepServers !== true },
    ...(flags.keepServers && { keep: true }),
  });
  const made = rows.filter((row) => row.state === 'connected').map(({ client }) => client);
  state.clients = [...new Set([...state.clients, ...made])];
  return {
    step: STEP,
    lines: [
      ...connectedText(context, rows)
        .trimEnd()
        .split('\n')
        .filter((line) => line !== ''),
      ...quiet,
    ],
    result: { clients: rows },
    failed: rows.some((row) => row.state === 'failed'),
  };
}
