import {
  planImport,
  problemOf,
  readCandidates,
  secretsFolder,
  writeSecretFiles,
  type Candidate,
  type PlannedServer,
} from '../../../clients/index.ts';
import { showServer } from '../../../config/index.ts';
import type { Config, ServerConfig } from '../../../contract/config.ts';
import { readServerEntry } from '../../../contract/entry/server-entry.ts';
import { ProxyError } from '../../../contract/errors.ts';
import type { HandlerInput, RouteOutput } from '../../../contract/routes/api.ts';
import { visibleLine } from '../../../lib/visible-text.ts';
import type { Handlers, RequestContext, RestParts } from '../parts.ts';
import { recordChange } from '../record-requests.ts';
import { mergePatch } from '../server-changes.ts';

type Body = HandlerInput<'importServers'>['body'];
type Row = RouteOutput<'importServers'>['servers'][number];

interface Chosen {
  entry: number;
  candidate: Candidate;
}

/** What the configuration has already. */
export interface ImportInto {
  config: Pick<Config, 'mcpServers' | 'listen'>;
  /** Names of all servers, with those outside of the configuration. */
  names: readonly string[];
  /** Where the proxy listens; null: it does not. */
  running: string | null;
  dataDir: string;
}

function planChosen(chosen: Chosen[], inputs: Record<string, string>, into: ImportInto): PlannedServer[] {
  const { config, names, running, dataDir } = into;
  const { mcpServers, listen } = config;
  return planImport(
    chosen.map(({ candidate }) => candidate),
    {
      existing: mcpServers,
      reserved: names,
      own: { listen: running === null ? [listen] : [listen, running], program: process.argv[1] },
      secretsFolder: secretsFolder(dataDir),
      env: process.env,
      inputs,
    },
  );
}

/** Answers a dry run, where no proxy runs and none may be created for it. */
export function importPreviewRoute(into: ImportInto): Pick<Handlers, 'importServers'> {
  return {
    async importServers({ body }) {
      if (body.dry_run !== true) throw new ProxyError('NO_DAEMON', 'No mcpproxy runs that could import');
      const chosen = await chosenEntries(body);
      const planned = planChosen(chosen, body.inputs ?? {}, into);
      return { servers: planned.map((each, index) => rowOf(each, chosen[index]!.entry)) };
    },
  };
}

export function importRoute({
  activity,
  config,
  upstreams,
  info,
}: RestParts): Pick<Handlers, 'importServers'> {
  const into = (): ImportInto => ({
    config: config.current(),
    names: upstreams.views().map(({ name }) => name),
    running: info.listen(),
    dataDir: info.dataDir,
  });

  async function add(planned: PlannedServer[], { caller }: RequestContext): Promise<void> {
    const servers = new Map(planned.map((each) => [each.name, each.config]));
    const wanted = Object.fromEntries([...servers].map(([name, server]) => [name, showServer(server)]));
    await recordChange(activity, { action: 'import_servers', caller, wanted }, async () => {
      const undo = writeSecretFiles(planned.flatMap(({ files }) => files));
      await config.editServers(servers, caller).catch((error: unknown) => {
        undo();
        throw error;
      });
    });
  }

  /** The alias that the configuration gives: it may differ where two names collide. */
  function aliasOf({ name, alias }: PlannedServer): string {
    const [written] =
      Object.entries(config.current().mcpServers).find(([, { title }]) => title === name) ?? [];
    return written ?? alias;
  }

  return {
    async importServers({ body }, context) {
      const chosen = await chosenEntries(body);
      const planned = planChosen(chosen, body.inputs ?? {}, into());
      const added = planned.filter(({ state }) => state === 'added');
      if (added.length > 0 && body.dry_run !== true) await add(added, context);
      return {
        servers: planned.map((each, index) => ({
          ...rowOf(each, chosen[index]!.entry),
          alias: each.state === 'added' && body.dry_run !== true ? aliasOf(each) : each.alias,
        })),
      };
    },
  };
}

async function chosenEntries({ text, format, servers }: Body): Promise<Chosen[]> {
  const read = await readCandidates(text, { syntax: format });
  if ('problem' in read)
    throw new ProxyError('INVALID_REQUEST', `The text cannot be imported: ${read.problem}`, {
      in: 'body',
      parameter: 'text',
    });
  const { candidates } = read;
  if (!servers) return candidates.map((candidate, entry) => ({ entry, candidate }));
  return servers.map((wanted) => {
    const candidate = candidates[wanted.entry];
    if (!candidate)
      throw new ProxyError('INVALID_REQUEST', `The text has no entry ${wanted.entry}`, {
        in: 'body',
        parameter: 'servers',
      });
    return { entry: wanted.entry, candidate: corrected(candidate, wanted) };
  });
}

/** The candidate with the corrections of a person. Whether it can be used is decided again then. */
function corrected(
  candidate: Candidate,
  { name = candidate.name, client, config }: NonNullable<Body['servers']>[number],
): Candidate {
  const next = { ...candidate, name, ...(client !== undefined && { client }) };
  if (config === undefined && name === candidate.name) return next;
  const read = readServerEntry(mergePatch(candidate.config, config ?? {}));
  const settings: ServerConfig = read.config;
  const [first] = read.problems;
  const problem = first
    ? visibleLine([...first.path, first.message].join(': '))
    : problemOf({ name, config: settings });
  const { problem: _before, ...rest } = next;
  return { ...rest, config: settings, ...(problem !== undefined && { problem }) };
}

function rowOf(planned: PlannedServer, entry: number): Row {
  const { name, alias, state, knownAs, reason, target, warnings, inputs, config } = planned;
  return {
    entry,
    name: visibleLine(name),
    alias,
    state,
    ...(knownAs !== undefined && { known_as: knownAs }),
    ...(reason !== undefined && { reason }),
    transport: config.url === undefined ? 'stdio' : config.type === 'sse' ? 'sse' : 'http',
    target,
    enabled: config.enabled !== false,
    ...(warnings.length > 0 && { warnings: warnings.map(visibleLine) }),
    ...(inputs.length > 0 && {
      inputs: inputs.map(({ id, description, secret }) => ({
        id,
        ...(description !== undefined && { description }),
        secret,
      })),
    }),
  };
}
