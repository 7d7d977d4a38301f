import { EXIT } from '../../../../contract/errors.ts';
import { isObject } from '../../../../json/index.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import type { ConnectPlan } from '../../client-runtime.ts';
import { plansText } from '../connect/connect-text.ts';
import { endpointFor } from '../connect/endpoint.ts';
import type { SetupFlags } from './step.ts';

interface WouldDo {
  proxy: string;
  servers: Array<{ name: string; client: string; file: string }>;
  clients: ConnectPlan[];
  policy: string;
}

/** What setup would do with every default. Reads files only, so that it works before the first start. */
export async function dryRun(
  context: Context,
  flags: SetupFlags,
  skipped: ReadonlySet<string>,
): Promise<number> {
  const running = await runningAt(context);
  const would: WouldDo = {
    proxy: running === undefined ? 'would be started in the background' : `runs at ${running}`,
    servers: skipped.has('import') ? [] : await serversToImport(context),
    clients: skipped.has('connect') ? [] : await clientsToConnect(context, flags),
    policy: skipped.has('policy') ? 'as it is' : await policyToSet(context, flags),
  };
  await print(context, { dry_run: true, ...would }, () => textOf(would));
  hint(context, 'Nothing was changed.');
  return EXIT.ok;
}

async function runningAt(context: Context): Promise<string | undefined> {
  try {
    return (await withProxy(context, 'daemon', ({ request }) => request('status', {}))).listen ?? undefined;
  } catch (error) {
    if (context.place.url !== undefined) throw error;
    return undefined;
  }
}

async function serversToImport({ runtime }: Context): Promise<WouldDo['servers']> {
  const files = (await runtime.findServers({})).filter(({ scope }) => scope === 'user');
  return files.flatMap(({ title, file, servers }) =>
    servers
      .filter(({ problem, name }) => problem === undefined && !name.startsWith('mcpproxy'))
      .map(({ name }) => ({ name, client: title, file })),
  );
}

async function clientsToConnect(context: Context, { listen }: SetupFlags): Promise<ConnectPlan[]> {
  const { runtime, place } = context;
  const url = listen === undefined ? await endpointFor(context) : `http://${listen}/mcp`;
  const found = (await runtime.clients.find(place)).filter((client) => client.found && !client.connected);
  return Promise.all(found.map(({ id }) => runtime.clients.plan(place, { client: id, scope: 'user', url })));
}

async function policyToSet({ runtime, place }: Context, { policy }: SetupFlags): Promise<string> {
  if (policy !== undefined) return policy;
  const shown = await runtime.config.show(place);
  const approvals = isObject(shown) ? shown.approvals : undefined;
  const require = isObject(approvals) ? approvals.require : undefined;
  return Array.isArray(require) && require.length > 0 ? 'as it is' : 'destructive';
}

function textOf({ proxy, servers, clients, policy }: WouldDo): string {
  return [
    `proxy    ${proxy}`,
    ...servers.map(({ name, client }) => `server   ${visibleLine(`${name} (${client})`)}`),
    ...(servers.length === 0 ? ['server   none to import'] : []),
    ...clients.map(({ title }) => `client   ${title}`),
    ...(clients.length === 0 ? ['client   none to connect'] : []),
    `policy   ${policy}`,
    ...(clients.length === 0 ? [''] : ['', plansText(clients)]),
  ].join('\n');
}
