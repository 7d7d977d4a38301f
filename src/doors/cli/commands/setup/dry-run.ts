import { EXIT, ProxyError } from '../../../../contract/errors.ts';
import { isObject } from '../../../../json/index.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context, type Reached } from '../../context.ts';
import type { ConnectPlan, KnownClient, TakenServers, WantedConnection } from '../../client-runtime.ts';
import { plansText } from '../connect/connect-text.ts';
import { endpointFor } from '../connect/endpoint.ts';
import { connectionViews } from '../connect/show-connections.ts';
import { leavingServers, planTaking, takenWith } from '../connect/take-servers.ts';
import {
  importBody,
  presetInputs,
  reasonOf,
  rowsOf,
  titleOf,
  withPlan,
  type ImportRow,
} from '../import/rows.ts';
import { PRESETS } from './policy-step.ts';
import type { SetupFlags } from './step.ts';

interface WouldDo {
  proxy: string;
  servers: Array<{ name: string; client: string; file: string; label: string }>;
  /** Servers that cannot be used as they are. */
  left: Array<{ name: string; client: string; file: string; label: string; reason: string }>;
  clients: ConnectPlan[];
  /** Clients with a file that cannot be changed. */
  failed: Array<{ client: string; title: string; reason: string }>;
  policy: string;
}

/** The proxy, where one runs: it knows which servers it has already. */
interface Seen {
  context: Context;
  flags: SetupFlags;
  skipped: ReadonlySet<string>;
  reached: Reached | undefined;
}

/** What setup would do with every default. Creates nothing, so that it works before the first start. */
export async function dryRun(
  context: Context,
  flags: SetupFlags,
  skipped: ReadonlySet<string>,
): Promise<number> {
  const would = await withProxyOrWithout(context, (reached) => planAll({ context, flags, skipped, reached }));
  await print(context, { dry_run: true, ...would }, () => textOf(would));
  hint(context, 'Nothing was changed.');
  return would.failed.length > 0 ? EXIT.general : EXIT.ok;
}

async function withProxyOrWithout<T>(
  context: Context,
  work: (reached: Reached | undefined) => Promise<T>,
): Promise<T> {
  let isReached = false;
  try {
    return await withProxy(context, 'daemon', async (reached) => {
      await reached.request('status', {});
      isReached = true;
      return work(reached);
    });
  } catch (error) {
    if (isReached || context.place.url !== undefined) throw error;
    return work(undefined);
  }
}

async function planAll(seen: Seen): Promise<WouldDo> {
  const { reached, skipped } = seen;
  const running = reached && (await reached.request('status', {})).listen;
  return {
    proxy: running ? `runs at ${running}` : 'would be started in the background',
    ...(skipped.has('import') ? { servers: [], left: [] } : await serversToImport(seen)),
    ...(skipped.has('connect') ? { clients: [], failed: [] } : await clientsToConnect(seen)),
    policy: skipped.has('policy') ? 'as it is' : await policyToSet(seen),
  };
}

async function serversToImport({ context, reached }: Seen): Promise<Pick<WouldDo, 'servers' | 'left'>> {
  const files = (await context.runtime.findServers({})).filter(({ scope }) => scope === 'user');
  const all = rowsOf(files);
  const rows = reached ? await plannedRows(reached, all) : all.filter(isForeign);
  const viewOf = (row: ImportRow) => ({
    name: row.server.name,
    client: row.file.title,
    file: row.file.file,
    label: titleOf(row),
  });
  const isAdded = reached
    ? ({ planned }: ImportRow) => planned?.state === 'added'
    : (row: ImportRow) => problemOf(row) === undefined;
  return {
    servers: rows.filter(isAdded).map(viewOf),
    left: rows.flatMap((row) => {
      const reason = reached && row.planned?.state !== 'failed' ? row.server.problem : problemOf(row);
      return reason === undefined ? [] : [{ ...viewOf(row), reason }];
    }),
  };
}

async function plannedRows({ request }: Reached, all: readonly ImportRow[]): Promise<readonly ImportRow[]> {
  const body = { ...importBody(all, all), inputs: presetInputs(all), dry_run: true };
  if (body.servers?.length === 0) return all;
  return withPlan(all, (await request('importServers', { body })).servers);
}

/** Why a server cannot go behind the proxy without a question. */
function problemOf(row: ImportRow): string | undefined {
  const missing = row.server.inputs.find((input) => input.default === undefined);
  return reasonOf(row) ?? (missing && `asks for a value: ${missing.id}`);
}

/** Not mcpproxy itself, as far as its name tells. */
const isForeign = ({ server }: ImportRow): boolean => !server.name.startsWith('mcpproxy');

async function clientsToConnect(seen: Seen): Promise<Pick<WouldDo, 'clients' | 'failed'>> {
  const { context, flags, reached } = seen;
  const { runtime, place } = context;
  const url =
    reached === undefined && flags.listen !== undefined
      ? `http://${flags.listen}/mcp`
      : await endpointFor(context);
  const fine = await clientsThatStay(seen);
  const found = (await runtime.clients.find(place)).filter(
    ({ id, found: isHere }) => isHere && !fine.has(id),
  );
  const would: Pick<WouldDo, 'clients' | 'failed'> = { clients: [], failed: [] };
  for (const client of found) {
    const { id, title } = client;
    try {
      const taken = await serversToTake(seen, client);
      const wanted = { client: id, scope: 'user' as const, url, ...(taken && { taken }) };
      would.clients.push(await planTakingIfPossible(context, wanted));
    } catch (error) {
      if (!(error instanceof ProxyError)) throw error;
      would.failed.push({ client: id, title, reason: error.message });
    }
  }
  return would;
}

/** Servers that cannot be taken out of a file stay there: their client is connected all the same. */
function planTakingIfPossible(
  { runtime, place }: Context,
  { taken, ...wanted }: WantedConnection,
): Promise<ConnectPlan> {
  if (!taken) return runtime.clients.plan(place, wanted);
  return runtime.clients.plan(place, { ...wanted, taken }).catch(() => runtime.clients.plan(place, wanted));
}

/** Clients that are connected already, and lose no further server. */
async function clientsThatStay({ context, flags, skipped, reached }: Seen): Promise<Set<string>> {
  const stay = new Set<string>();
  if (!reached) return stay;
  const mode = skipped.has('import') ? 'known' : 'all';
  for (const { client, scope, state } of await connectionViews(context)) {
    if (scope !== 'user' || state !== 'connected') continue;
    const leaving = flags.keepServers ? [] : await leavingServers(context, reached, { client, scope, mode });
    if (leaving.length === 0) stay.add(client);
  }
  return stay;
}

/** The servers that would leave the client's files, if all of them become ready. */
async function serversToTake(
  { context, flags, skipped, reached }: Seen,
  { id: client }: KnownClient,
): Promise<TakenServers[] | undefined> {
  if (flags.keepServers || (!reached && skipped.has('import'))) return undefined;
  const scope = 'user';
  const rows = reached
    ? (await planTaking(context, reached, { client, scope, mode: skipped.has('import') ? 'known' : 'all' }))
        ?.takeable
    : rowsOf(await context.runtime.findServers({ named: client })).filter(
        (row) => row.file.scope === scope && problemOf(row) === undefined && isForeign(row),
      );
  return rows && takenWith(context, { client, scope }, rows);
}

async function policyToSet({ context: { runtime, place }, flags: { policy } }: Seen): Promise<string> {
  if (policy !== undefined) return policy;
  const shown = await runtime.config.show(place);
  const approvals = isObject(shown) ? shown.approvals : undefined;
  const require = isObject(approvals) ? approvals.require : undefined;
  return Array.isArray(require) && require.length > 0 ? 'as it is' : 'destructive';
}

function textOf({ proxy, servers, left, clients, failed, policy }: WouldDo): string {
  return [
    `proxy    ${proxy}`,
    ...servers.map(({ label }) => `server   ${label}`),
    ...left.map(({ label, reason }) => `left     ${label}: ${visibleLine(reason)}`),
    ...(servers.length === 0 ? ['server   none to import'] : []),
    ...clients.map(({ title }) => `client   ${title}`),
    ...failed.map(({ title, reason }) => `failed   ${title}: ${visibleLine(reason)}`),
    ...(clients.length + failed.length === 0 ? ['client   none to connect'] : []),
    `policy   ${PRESETS[policy]?.title ?? policy}`,
    ...(clients.length === 0 ? [''] : ['', plansText(clients)]),
  ].join('\n');
}
