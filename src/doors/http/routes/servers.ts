import { z } from 'zod';
import { noSuchServer } from '../../../catalog/index.ts';
import { secretsFolder, storeSecrets, writeSecretFiles } from '../../../clients/index.ts';
import { aliasFor, showServer } from '../../../config/index.ts';
import { ServerConfig, type ConfiguredServer } from '../../../contract/config.ts';
import { ProxyError } from '../../../contract/errors.ts';
import type { ServerTest, ServerView } from '../../../contract/status.ts';
import type { Handlers, RequestContext, RestParts } from '../parts.ts';
import { recordChange } from '../record-requests.ts';
import { keepMasked, mergePatch, unstartedView, waitUntilSettled } from '../server-changes.ts';
import { validate } from '../validate.ts';
import { logOut } from './server-logins.ts';

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
  | 'testServer'
  | 'serverSettings'
  | 'serverLogs'
>;

interface ServerChange {
  name: string;
  /** null removes the server. */
  next: ServerConfig | null;
  /** The settings before; absent for a new server. */
  present?: ServerConfig;
  /** The setting that is kept in a file of its own. */
  secret?: string | undefined;
  action: string;
}

interface ServerPatch {
  name: string;
  patch: Record<string, unknown>;
  secret?: string | undefined;
  action: string;
}

export function serverRoutes({ activity, catalog, upstreams, config, info }: RestParts): ServerHandlers {
  function inFile(name: string): ConfiguredServer | undefined {
    const servers = config.current().mcpServers;
    return Object.hasOwn(servers, name) ? servers[name] : undefined;
  }

  /** The alias of a server that is named by it, or as it is written in the file. */
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

  /** The settings in the file. The built-in server has none there, so it cannot be edited or removed. */
  function configured(alias: string): ServerConfig {
    const server = inFile(alias);
    if (server) return settingsOf(server);
    const why =
      find(alias).transport === 'builtin'
        ? 'is built in and cannot be changed, disabled or removed'
        : 'is not in the configuration file';
    throw new ProxyError('CONFLICT', `Server '${alias}' ${why}`, { server: alias });
  }

  async function write({ name, next, action, ...stored }: ServerChange, context: RequestContext) {
    const server = aliasFor(name);
    const place = { folder: secretsFolder(info.dataDir), alias: server, ...stored };
    const { config: settings, files } = next ? storeSecrets(next, place) : { config: null, files: [] };
    const change = {
      action,
      server,
      caller: context.caller,
      ...(settings && { wanted: showServer(settings) }),
    };
    await recordChange(activity, change, async () => {
      const undo = writeSecretFiles(files);
      await config.editServer(name, settings, context.caller).catch((error: unknown) => {
        undo();
        throw error;
      });
    });
    const isSame = JSON.stringify(settings) === JSON.stringify(stored.present);
    return { hasNewSecret: files.length > 0 && isSame };
  }

  async function put(change: ServerChange, context: RequestContext): Promise<ServerView> {
    const { hasNewSecret } = await write(change, context);
    // The configuration is the same, so the server does not start again by itself.
    if (hasNewSecret && upstreams.view(change.name)?.enabled) await upstreams.restart(change.name);
    return (await waitUntilSettled(upstreams, aliasOf(change.name), context.signal)) ?? find(change.name);
  }

  /** The settings with changes that were made to what is shown of them. */
  const patched = (present: ServerConfig, patch: Record<string, unknown>): ServerConfig =>
    validate(ServerConfig, mergePatch(present, keepMasked(patch, present, showServer(present))), 'body');

  function update({ name, patch, ...change }: ServerPatch, context: RequestContext): Promise<ServerView> {
    const alias = aliasOf(name);
    const present = configured(alias);
    const next = patched(present, patch);
    return put({ name: alias, next, present, ...change }, context);
  }

  return {
    listServers: () => ({ servers: all() }),
    getServer: ({ params }) => find(params.name),
    async addServer({ body: { name, config: server, secret } }, context) {
      const existing = known(name) ?? known(aliasFor(name));
      if (!existing) return put({ name, next: server, secret, action: 'add_server' }, context);
      throw new ProxyError(
        'CONFLICT',
        `Server '${existing.name}' already exists. Change it with "mcpproxy upstream edit ${existing.name}" or PATCH /api/v1/servers/${existing.name}`,
        { server: existing.name },
      );
    },
    updateServer: async ({ params: { name }, query: { secret }, body }, context) =>
      update({ name, patch: body, secret, action: 'update_server' }, context),
    enableServer: async ({ params: { name } }, context) =>
      update({ name, patch: { enabled: true }, action: 'enable_server' }, context),
    disableServer: async ({ params: { name } }, context) =>
      update({ name, patch: { enabled: false }, action: 'disable_server' }, context),
    serverSettings({ params }) {
      const alias = aliasOf(params.name);
      const settings = showServer(configured(alias));
      const title = inFile(alias)?.title ?? alias;
      return { name: alias, title, settings: { ...settings }, schema: serverSchema() };
    },
    async testServer({ body }, { caller, signal }) {
      const name = body.name === undefined ? undefined : aliasOf(body.name);
      if ((name === undefined) === (body.config === undefined))
        throw new ProxyError('INVALID_REQUEST', 'body must have either "name" or "config"');
      const server = body.config ?? patched(configured(name!), body.changes ?? {});
      const change = {
        action: 'test_server',
        caller,
        ...(name !== undefined && { server: name }),
        wanted: showServer(server),
        outcome: (result: ServerTest) => ({ ok: result.ok }),
      };
      return recordChange(activity, change, () => upstreams.test({ name, config: server, signal }));
    },
    async removeServer({ params }, context) {
      const alias = aliasOf(params.name);
      configured(alias);
      // Otherwise a server that is added later under this name and address would be logged in at once.
      if (upstreams.view(alias)?.login)
        await logOut({ activity, logIns: upstreams.logIns }, alias, context.caller);
      await write({ name: alias, next: null, action: 'remove_server' }, context);
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

/** Made when somebody edits a server, because it takes some milliseconds. */
let schema: Record<string, unknown> | undefined;
const serverSchema = (): Record<string, unknown> =>
  (schema ??= z.toJSONSchema(ServerConfig, { io: 'input', unrepresentable: 'any' }));

function byName(a: ServerView, b: ServerView): number {
  return a.name < b.name ? -1 : 1;
}

/** The settings that are written to the file, without what was added when it was read. */
function settingsOf({
  title: _title,
  problem: _problem,
  warnings: _warnings,
  ...server
}: ConfiguredServer): ServerConfig {
  return server;
}
