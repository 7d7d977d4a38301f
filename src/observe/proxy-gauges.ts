import { setTimeout as pause } from 'node:timers/promises';
import { Gauge, type Aggregator, type Registry } from 'prom-client';
import type { SharedConfigState } from '../contract/status.ts';

export interface ProxyParts {
  log: () => { log: 'ok' | 'unavailable'; waiting: number; lost: number };
  calls: () => { running: number; waiting: number; shed: number };
  /** Pending approvals. */
  approvals: () => Promise<number>;
  tokens: () => { active: number; expired: number };
  traces: () => { exported: number; dropped: number; failed: number };
  /** How often the event loop was blocked, since the start. */
  stalls: () => number;
  version: string;
  /** Of several proxies on one database; undefined where there is one. */
  sharedConfig?: () => SharedConfigState | undefined;
}

/** How the values of several workers become one; those that are not here are added. */
const COMBINED: Readonly<Record<string, Aggregator>> = {
  log_writable: 'min',
  tokens_active: 'first',
  tokens_expired: 'first',
  config_revision: 'min',
  config_behind: 'max',
  config_drift: 'max',
};

/** Gauges of the proxy as a whole: read at each scrape, so that calls pay nothing for them. */
export function addProxyGauges(registry: Registry, parts: ProxyParts): void {
  const { log, calls, tokens, traces, stalls, version } = parts;
  const add = (name: string, help: string, value: () => number) =>
    new Gauge({
      name: `mcpproxy_${name}`,
      help,
      aggregator: COMBINED[name] ?? 'sum',
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  add('log_writable', '1 while the activity log can be written', () => Number(log().log === 'ok'));
  add('log_waiting', 'Closed records that wait to be written', () => log().waiting);
  add('log_lost', 'Closed records dropped because too many waited', () => log().lost);
  add('calls_running', 'Calls that are admitted', () => calls().running);
  add('calls_waiting', 'Calls that wait for admission', () => calls().waiting);
  add('calls_shed', 'Calls rejected because there were too many, since the start', () => calls().shed);
  add('tokens_active', 'Agent tokens that are valid', () => tokens().active);
  add('tokens_expired', 'Agent tokens that have expired and are not revoked', () => tokens().expired);
  add('spans_exported', 'Spans that the collector accepted, since the start', () => traces().exported);
  add('spans_dropped', 'Spans dropped because too many waited', () => traces().dropped);
  add('spans_failed', 'Spans that the collector did not accept', () => traces().failed);
  add('stalls', 'How often the event loop was blocked for a second or more', stalls);
  const shared = () => parts.sharedConfig?.();
  if (shared()) {
    add(
      'config_revision',
      'Revision of the shared configuration in force; 0: none, it is in the file',
      () => shared()?.revision ?? 0,
    );
    add('config_behind', '1 while this proxy may not have the newest configuration', () =>
      Number(shared()?.problem !== undefined),
    );
    add('config_drift', 'Settings that other proxies on the database have with another value', () =>
      driftOf(shared()),
    );
  }
  addApprovals(registry, parts.approvals);
  new Gauge({
    name: 'mcpproxy_build_info',
    help: 'The running version',
    labelNames: ['version'] as const,
    aggregator: 'first',
    registers: [registry],
  }).set({ version }, 1);
}

function driftOf(state: SharedConfigState | undefined): number {
  return new Set(state?.replicas.flatMap(({ differs }) => differs)).size;
}

const QUERY_MS = 1_000;

/** Counted in the database; while it is unavailable the last number is kept, so that the scrape does not fail. */
function addApprovals(registry: Registry, pending: ProxyParts['approvals']): void {
  const gauge = new Gauge({
    name: 'mcpproxy_approvals_pending',
    help: 'Calls that wait for approval',
    aggregator: 'first',
    registers: [],
    async collect() {
      const count = await Promise.race([
        pending().catch(() => undefined),
        pause(QUERY_MS, undefined, { ref: false }),
      ]);
      if (count !== undefined) this.set(count);
    },
  });
  registry.registerMetric(gauge);
}
