import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import type { Context, Reached } from '../../context.ts';
import type { ConnectScope, TakenServers } from '../../client-runtime.ts';
import { importBody, presetInputs, rowsOf, withPlan, type ImportRow } from '../import/rows.ts';
import { stateSummary } from '../import/wait.ts';

export interface TakenResult {
  /** Names of the servers that are behind the proxy now, and no longer in the client's files. */
  servers: string[];
  /** Servers that stay where they are, with the reason. */
  left: Array<{ name: string; reason: string }>;
}

interface Taking {
  client: string;
  scope: ConnectScope;
  /** Without it, a person is asked on a terminal. */
  take: boolean;
}

/** Puts the client's other servers behind the proxy. Returns which entries its files lose; undefined: nobody wants that. */
export async function takeServers(
  context: Context,
  reached: Reached,
  { client, scope, take }: Taking,
): Promise<{ files: TakenServers[]; result: TakenResult } | undefined> {
  const { io, runtime, place } = context;
  const isAsked = io.terminal.in && io.terminal.err;
  if (!take && !isAsked) return undefined;
  const files = (await runtime.findServers({ named: client })).filter((file) => file.scope === scope);
  const all = rowsOf(files).filter(({ server }) => server.scope === undefined);
  const inputs = presetInputs(all);
  const body = importBody(all, all);
  if (body.servers?.length === 0) return undefined;
  const planned = withPlan(
    all,
    (await reached.request('importServers', { body: { ...body, inputs, dry_run: true } })).servers,
  );
  const takeable = planned.filter(isTakeable);
  if (takeable.length === 0 || (!take && !(await wantsThem(context, client, takeable)))) return undefined;
  const { servers } = await reached.request('importServers', {
    body: { ...importBody(all, takeable), inputs },
  });
  const behind = withPlan(takeable, servers).filter(isTakeable);
  await stateSummary(
    context,
    reached,
    behind.filter(({ planned: row }) => row?.state === 'added'),
  );
  const states = (await reached.request('listServers', {})).servers;
  const isReady = ({ planned }: ImportRow) =>
    states.some(({ name, state }) => name === planned?.alias && (state === 'ready' || state === 'disabled'));
  const done = behind.filter(isReady);
  const earlier = (await runtime.clients.status(place)).find(
    (each) => each.client === client && each.scope === scope && (scope === 'user' || each.folder === io.cwd),
  );
  const named = done.map(({ file, server }) => ({ file: file.file, names: [server.name] }));
  return {
    files: merged([...(earlier?.taken ?? []), ...named]),
    result: {
      servers: done.map(({ server }) => visibleLine(server.name)),
      left: planned.filter((row) => !done.some(({ entry }) => entry === row.entry)).flatMap(leftOf),
    },
  };
}

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
  const files = [...new Set(taken.map(({ file }) => file))];
  return files.map((file) => ({
    file,
    names: [...new Set(taken.filter((each) => each.file === file).flatMap(({ names }) => names))],
  }));
}

function leftOf({ server, planned }: ImportRow): TakenResult['left'] {
  if (planned?.known_as === 'self') return [];
  const isBehind = planned?.state === 'added' || planned?.known_as === 'server';
  const waiting = `it is not ready behind the proxy. See: mcpproxy upstream show ${planned?.alias ?? ''}`;
  const reason = isBehind ? waiting : (server.problem ?? planned?.reason ?? 'it cannot be used');
  return [{ name: visibleLine(server.name), reason }];
}
