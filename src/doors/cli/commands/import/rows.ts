import type { RouteInput, RouteOutput } from '../../../../contract/routes/api.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import type { ClientFile, ClientServer } from '../../runtime.ts';

type Planned = RouteOutput<'importServers'>['servers'][number];
export type ImportBody = RouteInput<'importServers'>['body'];

/** One server of a file: what was read here, and what the proxy says about it. */
export interface ImportRow {
  file: ClientFile;
  server: ClientServer;
  /** The position in the text that is sent to the proxy. Absent: the entry cannot be used. */
  entry?: number;
  planned?: Planned;
  /** Why the server does not run, although it was added. */
  failure?: string;
}

/** All servers of the files. Those that can be used get a position. */
export function rowsOf(files: readonly ClientFile[]): ImportRow[] {
  let next = 0;
  return distinctInputs(files).flatMap((file) =>
    file.servers.map((server) => ({
      file,
      server,
      ...(server.problem === undefined && { entry: next++ }),
    })),
  );
}

/** Two files may ask for different values under the same id: one must not get that of the other. */
function distinctInputs(files: readonly ClientFile[]): ClientFile[] {
  const owners = new Map<string, number>();
  return files.map((file, index) => {
    const renamed = (id: string) => (owners.get(id) === index ? id : `${id}-${index + 1}`);
    for (const { id } of file.servers.flatMap(({ inputs }) => inputs))
      if (!owners.has(id)) owners.set(id, index);
    return { ...file, servers: file.servers.map((server) => withIds(server, renamed)) };
  });
}

function withIds(server: ClientServer, renamed: (id: string) => string): ClientServer {
  if (server.inputs.every(({ id }) => renamed(id) === id)) return server;
  const text = JSON.stringify(server.config).replace(
    /\$\{input:([^{}"]+)\}/g,
    (_, id: string) => `\${input:${renamed(id.trim())}}`,
  );
  return {
    ...server,
    config: JSON.parse(text) as ClientServer['config'],
    inputs: server.inputs.map((input) => ({ ...input, id: renamed(input.id) })),
  };
}

/** The request for these rows. The text has all usable entries, so that positions stay. */
export function importBody(all: readonly ImportRow[], chosen: readonly ImportRow[]): ImportBody {
  const entries = all.filter(({ entry }) => entry !== undefined);
  const mcpServers = entries.map(({ server: { name, config } }) => ({ ...config, name }));
  return {
    text: JSON.stringify({ mcpServers }),
    format: 'json',
    servers: chosen.flatMap(({ entry, file: { client } }) =>
      entry === undefined ? [] : [{ entry, ...(client !== undefined && { client }) }],
    ),
  };
}

/** Values of inputs that do not have to be asked for. */
export function presetInputs(rows: readonly ImportRow[]): Record<string, string> {
  return Object.fromEntries(
    rows.flatMap(({ server }) =>
      server.inputs.flatMap(({ id, default: preset }) => (preset === undefined ? [] : [[id, preset]])),
    ),
  );
}

/** The rows with the answer of the proxy. */
export function withPlan(rows: readonly ImportRow[], planned: readonly Planned[]): ImportRow[] {
  const byEntry = new Map(planned.map((each) => [each.entry, each]));
  return rows.map((row) => {
    const found = row.entry === undefined ? undefined : byEntry.get(row.entry);
    return found ? { ...row, planned: found } : row;
  });
}

/** The rows with what became of their servers, by alias. */
export function withFailures(rows: readonly ImportRow[], failures: ReadonlyMap<string, string>): ImportRow[] {
  return rows.map((row) => {
    const failure = row.planned && failures.get(row.planned.alias);
    return failure === undefined ? row : { ...row, failure };
  });
}

/** True: importing it would add a server, perhaps after a value was asked for. */
export function canBeAdded({ planned }: ImportRow): boolean {
  return planned?.state === 'added' || (planned?.state === 'failed' && asksFor(planned));
}

export function asksFor(planned: Planned | undefined): boolean {
  return (planned?.inputs?.length ?? 0) > 0;
}

/** The server and where it comes from, for people. */
export function titleOf({ server: { name, folder }, file: { title } }: ImportRow): string {
  return visibleLine(`${name} (${[title, ...(folder === undefined ? [] : [folder])].join(', ')})`);
}

/** For programs. */
export function viewOf(row: ImportRow) {
  const { file, server, planned } = row;
  const warnings = [
    ...(row.failure === undefined ? [] : [`does not start: ${row.failure}`]),
    ...server.warnings,
    ...(planned?.warnings ?? []),
  ];
  const reason = reasonOf(row);
  const { name, alias, state, transport, target } = planned ?? { ...UNPLANNED, name: server.name };
  return {
    name,
    alias,
    state,
    ...(reason !== undefined && { reason }),
    client: file.client ?? null,
    scope: server.folder === undefined ? file.scope : ('local' as const),
    file: file.file,
    transport,
    target,
    ...(warnings.length > 0 && { warnings }),
  };
}

/** An entry that cannot be used is not sent to the proxy. */
const UNPLANNED = { alias: null, state: 'failed', transport: null, target: null } as const;

export function reasonOf({ server, planned }: ImportRow): string | undefined {
  if (server.problem !== undefined) return server.problem;
  if (planned?.state === 'failed' && asksFor(planned)) {
    const missing = server.inputs.filter(({ id }) => planned.inputs?.some((input) => input.id === id));
    const names = missing.map(({ id, description }) =>
      description === undefined ? id : `${id} (${description})`,
    );
    const flags = missing.map(({ id }) => `--input '${id}=\${env:NAME}'`);
    return `asks for a value: ${names.join(', ')}. Give it with: mcpproxy import ${flags.join(' ')}`;
  }
  return planned?.reason;
}
