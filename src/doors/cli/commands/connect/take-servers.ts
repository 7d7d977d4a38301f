import { toProxyError } from '../../../../contract/errors.ts';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import type { Context, Reached } from '../../context.ts';
import type { ConnectScope, TakenServers, WantedConnection } from '../../client-runtime.ts';
import {
  importBody,
  presetInputs,
  reasonOf as importReasonOf,
  rowsOf,
  withPlan,
  type ImportRow,
} from '../import/rows.ts';
import { stateSummary } from '../import/wait.ts';

export interface TakenResult {
  /** Names of the servers that are behind the proxy now, and no longer in the client's files. */
  servers: string[];
  /** Servers that stay where they are, with the reason. */
  left: Array<{ name: string; reason: string }>;
}

/**
 * - `all`: put the servers behind the proxy.
 * - `known`: only those that are behind the proxy already.
 * - `ask`: a person decides, on a terminal.
 */
export type TakeMode = 'all' | 'known' | 'ask';

interface Taking {
  client: string;
  scope: ConnectScope;
  mode: TakeMode;
}

/** The servers of a client that are to go behind the proxy. */
export interface PlannedTaking {
  client: string;
  scope: ConnectScope;
  inputs: Record<string, string>;
  all: ImportRow[];
  planned: ImportRow[];
  takeable: ImportRow[];
}

/** Finds the client's other servers, and asks. Nothing is changed. Undefined: there are none, or nobody wants that. */
export async function planTaking(
  context: Context,
  reached: Reached,
  { client, scope, mode }: Taking,
): Promise<PlannedTaking | undefined> {
  const { io, runtime } = context;
  if (mode === 'ask' && !(io.terminal.in && io.terminal.err)) return undefined;
  const files = (await runtime.findServers({ named: client })).filter((file) => file.scope === scope);
  const all = rowsOf(files);
  const inputs = presetInputs(all);
  const body = importBody(all, all);
  if (body.servers?.length === 0) return undefined;
  const planned = withPlan(
    all,
    (await reached.request('importServers', { body: { ...body, inputs, dry_run: true } })).servers,
  );
  const takeable = planned.filter(mode === 'known' ? isKnown : isTakeable);
  if (takeable.length === 0) return undefined;
  if (mode === 'ask' && !(await wantsThem(context, client, takeable))) return undefined;
  return { client, scope, inputs, all, planned, takeable };
}

/** Puts the servers behind the proxy. Returns which entries the files of the client lose; undefined: none, as their form cannot be edited. */
export async function takeServers(
  context: Context,
  reached: Reached,
  { wanted, inputs, all, planned, takeable }: PlannedTaking & { wanted: WantedConnection },
): Promise<{ files: TakenServers[] | undefined; result: TakenResult }> {
  const { servers } = await reached.request('importServers', {
    body: { ...importBody(all, takeable), inputs },
  });
  const behind = withPlan(takeable, servers).filter(isTakeable);
  await stateSummary(
    context,
    reached,
    behind.filter(({ planned: row }) => row?.state === 'added'),
  );
  const done = behind.filter(await readiness(reached));
  const files = await takenWith(context, wanted, done);
  const { runtime, place } = context;
  const problem = await runtime.clients.plan(place, { ...wanted, taken: files }).then(
    () => undefined,
    (error: unknown) => toProxyError(error).message,
  );
  const names = done.map(({ server }) => visibleLine(server.name));
  const reason = `behind the proxy now, but still in the file: ${problem}`;
  const left = planned.filter((row) => !done.some(({ entry }) => entry === row.entry)).flatMap(leftOf);
  return problem === undefined
    ? { files, result: { servers: names, left } }
    : {
        files: undefined,
        result: { servers: [], left: [...names.map((name) => ({ name, reason })), ...left] },
      };
}

/** The servers that would leave the file of a client if it were connected again. */
export async function leavingServers(
  context: Context,
  reached: Reached,
  taking: Taking,
): Promise<ImportRow[]> {
  const takeable = (await planTaking(context, reached, taking))?.takeable ?? [];
  if (takeable.length === 0) return [];
  const isReady = await readiness(reached);
  return takeable.filter((row) => row.planned?.state === 'added' || isReady(row));
}

async function readiness({ request }: Reached): Promise<(row: ImportRow) => boolean> {
  const { servers } = await request('listServers', {});
  const ready = servers.filter(({ state }) => state === 'ready' || state === 'disabled');
  return ({ planned }) => ready.some(({ name }) => name === planned?.alias);
}

/** What the files of a client lose, with what they have lost before. */
export async function takenWith(
  { io, runtime, place }: Context,
  { client, scope }: Pick<Taking, 'client' | 'scope'>,
  rows: readonly ImportRow[],
): Promise<TakenServers[]> {
  const earlier = (await runtime.clients.status(place)).find(
    (each) => each.client === client && each.scope === scope && (scope === 'user' || each.folder === io.cwd),
  );
  const named = rows.map(({ file: { file }, server: { name, folder } }) => ({ file, names: [name], folder }));
  return merged([...(earlier?.taken ?? []), ...named]);
}

const isKnown = ({ planned }: ImportRow): boolean => planned?.known_as === 'server';

/** It was added, or the proxy has exactly this server. Another secret for the same target is not lost. */
function isTakeable({ planned }: ImportRow): boolean {
  return planned?.state === 'added' || planned?.known_as === 'server';
}

async function wantsThem({ io }: Context, client: string, rows: readonly ImportRow[]): Promise<boolean> {
  const names = rows.map(({ server }) => visibleLine(server.name)).join(', ');
  const answer = await io.ask(
    `${client} has ${counted(rows.length, 'other server')}: ${names}. Put them behind the proxy and take them out of its file? [y/N] `,
  );
  return /^y(es)?$/i.test(answer.trim());
}

function merged(taken: readonly TakenServers[]): TakenServers[] {
  const places = new Map<string, TakenServers>();
  for (const each of taken) {
    const place = JSON.stringify([each.file, each.folder]);
    const names = [...(places.get(place)?.names ?? []), ...each.names];
    places.set(place, { ...each, names: [...new Set(names)] });
  }
  return [...places.values()];
}

function leftOf(row: ImportRow): TakenResult['left'] {
  if (row.planned?.known_as === 'self') return [];
  return [{ name: visibleLine(row.server.name), reason: reasonOf(row) }];
}

function reasonOf(row: ImportRow): string {
  const { server, planned } = row;
  const { state, known_as: knownAs, alias }: Partial<NonNullable<typeof planned>> = planned ?? {};
  if (state === 'added' || knownAs === 'server')
    return `it is not ready behind the proxy. See: mcpproxy upstream show ${alias}`;
  if (knownAs === 'target' && server.inputs.length > 0)
    return `it asks for a value, and '${alias}' behind the proxy has one of its own`;
  return importReasonOf(row) ?? 'it cannot be used';
}
