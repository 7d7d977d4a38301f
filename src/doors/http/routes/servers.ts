import { noSuchServer } from '../../../catalog/index.ts';
import { aliasFor, showServer } from '../../../config/index.ts';
import { ServerConfig, type ConfiguredServer } from '../../../contract/config.ts';
import { ProxyError } from '../../../contract/errors.ts';
import type { ServerView } from '../../../contract/status.ts';
import { mergePatch } from '../merge-patch.ts';
import type { Handlers, RequestContext, RestParts } from '../parts.ts';
import { recordChange } from '../record-change.ts';
import { unstartedView } from '../server-view.ts';
import { validate } from '../validate.ts';
import { waitUntilSettled } from '../wait-until-settled.ts';

type ServerHandlers = Pick<
  Handlers,
  | 'listServers'
  | 'addServer'
  | 'getServer'
  | 'updateServer'
  | 'removeServer'
  | 'restartServer'
  | 'enableServer'
  | 'disableServer'
  | 'approveServer'
  | 'serverLogs'
>;

export function serverRoutes({ activity, catalog, upstreams, config }: RestParts): ServerHandlers {
  function inFile(name: string): ConfiguredServer | undefined {
    const servers = config.current().mcpServers;
    return Object.hasOwn(servers, name) ? servers[name] : undefined;
  }

  /** The alias of the server that somebody names by it, or as it is written in the file. */
  function aliasOf(name: string): string {
    if (upstreams.view(name) || inFile(name)) return name;
    const servers = Object.entries(config.current().mcpServers);
    return servers.find(([, { title }]) => title === name)?.[0] ?? name;
  }

  function all(): ServerView[] {
    const running = new Map(upstreams.views().map((view) => [view.name, view]));
    const unstarted = Object.entries(config.current().mcpServers).filter(([name]) => !running.has(name));
    return [...running.values(), ...unstarted.map(([name, server]) => unstartedView(name, server))].sort(
      byName,
    );
  }

  function known(name: string): ServerView | undefined {
    const alias = aliasOf(name);
    const server = inFile(alias);
    return upstreams.view(alias) ?? (server && unstartedView(alias, server));
  }

  function find(name: string): ServerView {
    const view = known(name);
    if (view) return view;
    throw noSuchServer(
      name,
      all().map((each) => each.name),
    );
  }

  /** The settings that stand in the file. Those of the built-in server do not, so there is nothing to edit or to remove. */
  function configured(alias: string): ServerConfig {
    const server = inFile(alias);
    if (server) return settingsOf(server);
    const why =
      find(alias).transport === 'builtin'
        ? 'is built in: it is there whenever the proxy runs, and cannot be changed, switched off or removed'
        : 'is not in the configuration file';
    throw new ProxyError('CONFLICT', `Server '${alias}' ${why}`, { server: alias });
  }

  async function write(
    name: string,
    next: ServerConfig | null,
    action: string,
    context: RequestContext,
  ): Promise<void> {
    const change = {
      action,
      server: aliasFor(name),
      caller: context.caller,
      ...(next && { wanted: showServer(next) }),
    };
    await recordChange(activity, change, () => config.editServer(name, next));
  }

  async function put(
    name: string,
    next: ServerConfig,
    action: string,
    context: RequestContext,
  ): Promise<ServerView> {
    await write(name, next, action, context);
    return (await waitUntilSettled(upstreams, aliasOf(name), context.signal)) ?? find(name);
  }

  function change(
    name: string,
    patch: Record<string, unknown>,
    action: string,
    context: RequestContext,
  ): Promise<ServerView> {
    const alias = aliasOf(name);
    return put(alias, validate(ServerConfig, mergePatch(configured(alias), patch), 'body'), action, context);
  }

  return {
    listServers: () => ({ servers: all() }),
    getServer: ({ params }) => find(params.name),
    async addServer({ body: { name, config: server } }, context) {
      const there = known(name) ?? known(aliasFor(name));
      if (!there) return put(name, server, 'add_server', context);
      throw new ProxyError(
        'CONFLICT',
        `Server '${there.name}' exists already; change it with PATCH /api/v1/servers/${there.name}`,
        { server: there.name },
      );
    },
    updateServer: async ({ params, body }, context) => change(params.name, body, 'update_server', context),
    enableServer: async ({ params }, context) =>
      change(params.name, { enabled: true }, 'enable_server', context),
    disableServer: async ({ params }, context) =>
      change(params.name, { enabled: false }, 'disable_server', context),
    async removeServer({ params }, context) {
      const alias = aliasOf(params.name);
      configured(alias);
      await write(alias, null, 'remove_server', context);
      return { ok: true };
    },
    async restartServer({ params }, context) {
      const { name } = find(params.name);
      const change = { action: 'restart_server', server: name, caller: context.caller };
      await recordChange(activity, change, async () => void (await upstreams.restart(name)));
      return (await waitUntilSettled(upstreams, name, context.signal)) ?? find(name);
    },
    async approveServer({ params }, context) {
      const { name, tool_count: total } = find(params.name);
      const { caller } = context;
      const change = { action: 'approve_server', server: name, caller, outcome: (result: unknown) => result };
      const result = await recordChange(activity, change, async () => catalog.approveServer(name, caller));
      return { server: name, ...result, total };
    },
    serverLogs: ({ params, query }) => upstreams.logs(find(params.name).name, query.tail),
  };
}

function byName(a: ServerView, b: ServerView): number {
  return a.name < b.name ? -1 : 1;
}

/** What may be written to the file, without what was found out while reading it. */
function settingsOf({
  title: _title,
  problem: _problem,
  warnings: _warnings,
  ...server
}: ConfiguredServer): ServerConfig {
  return server;
}
