import { rulesWithoutServer } from '../../../approval/index.ts';
import type { Caller } from '../../../contract/call.ts';
import type { Config } from '../../../contract/config.ts';
import { monotonicClock } from '../../../lib/clock.ts';
import { ofRequest, type Log } from '../../../lib/log.ts';
import type { Handlers, RestParts } from '../parts.ts';

export function statusRoutes({
  activity,
  catalog,
  upstreams,
  tokens,
  config,
  configRecords,
  approvals,
  info,
  stalls,
  menu,
  calls,
  traces,
  changedRows,
  revisions,
  log,
}: RestParts): Pick<Handlers, 'status'> {
  const known = createLastKnown(log);
  const serverNames = () => [
    ...upstreams.views().map(({ name }) => name),
    ...Object.keys(config.current().mcpServers),
  ];
  return {
    async status(_input, { caller }) {
      const { intent_declaration, quarantine, require_mcp_auth } = config.current();
      const { active, expired } = tokens.counts();
      const operatorCall = await known(caller, { name: 'operator call', none: null }, () =>
        tokens.lastOperatorCall(),
      );
      const { strict_server_validation, operation_type, unannotated } = intent_declaration;
      return {
        version: info.version,
        uptime_s: Math.floor((monotonicClock.now() - info.startedAt) / 1000),
        ...processes(info.workers),
        listen: info.listen(),
        config_file: config.file,
        data_dir: info.dataDir,
        database: info.database,
        config_error: config.lastError(),
        config_state: configRecords.state(),
        ...sharedConfig(revisions),
        needs_restart: config.needsRestart(),
        protocol_revisions: [...info.protocolRevisions],
        servers: countByState(upstreams.views()),
        starting: upstreams
          .views()
          .flatMap(({ name, progress }) => (progress === undefined ? [] : [{ name, progress }])),
        tools: catalog.coverage(),
        ...(await menuStatus(menu, config.current())),
        tokens: {
          active,
          expired,
          operator_mcp_call_at: operatorCall === null ? null : new Date(operatorCall).toISOString(),
        },
        changed_rows: changedRows?.() ?? 0,
        require_mcp_auth,
        approvals_required: approvals.policy().rules > 0,
        quarantine,
        activity: {
          ...(await known(caller, { name: 'activity', none: NO_RECORDS }, () => activity.stats())),
          ...activity.state(),
        },
        approvals: {
          rules: approvals.policy().rules,
          pending: await known(caller, { name: 'approvals', none: 0 }, () => approvals.pending()),
          idle_rules: rulesWithoutServer(config.current().approvals.require, serverNames()),
          in_client: config.current().approvals.in_client,
        },
        calls: { ...(calls?.() ?? { running: 0, waiting: 0, shed: 0 }), limits: config.current().limits },
        stalls: { count: stalls?.count() ?? 0, ...(stalls?.recent() && { last: stalls.recent() }) },
        traces: traces?.() ?? NO_TRACES,
        intent_declaration: { strict_server_validation, operation_type, unannotated },
      };
    },
  };
}

function sharedConfig(revisions: RestParts['revisions']) {
  const state = revisions?.state();
  return state && { shared_config: state };
}

function processes(workers: RestParts['info']['workers']) {
  return workers ? { pid: workers.pid, workers: workers.list() } : { pid: process.pid };
}

async function menuStatus(menu: RestParts['menu'], { mode, direct }: Pick<Config, 'mode' | 'direct'>) {
  return menu ? { menu: { mode, ...(await menu()), max_tokens: direct.max_menu_tokens } } : {};
}

const NO_TRACES = { exporting: false, exported: 0, dropped: 0, failed: 0 };
const NO_RECORDS = { records: 0, last_24h: 0, refused_24h: 0 };

/** Status matters most while the database is unavailable: it then returns the last known numbers, and says that it is unavailable. */
function createLastKnown(log: Log) {
  const values = new Map<string, unknown>();
  return async <T>(
    caller: Caller,
    { name, none }: { name: string; none: NoInfer<T> },
    ask: () => T | Promise<T>,
  ): Promise<T> => {
    try {
      const value = await ask();
      values.set(name, value);
      return value;
    } catch (error) {
      log.warn(
        { err: error, what: name, ...ofRequest(caller) },
        'could not read a number of the status; the last known one is returned',
      );
      return values.has(name) ? (values.get(name) as T) : none;
    }
  };
}

function countByState(views: ReadonlyArray<{ state: string }>): Record<string, number> {
  const counts: Record<string, number> = { total: views.length };
  for (const { state } of views) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
