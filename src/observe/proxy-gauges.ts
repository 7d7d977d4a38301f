import { setTimeout as pause } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';

export interface ProxyParts {
  log: () => { log: 'ok' | 'unavailable'; waiting: number; lost: number };
  calls: () => { running: number; waiting: number; shed: number };
  /** Calls that wait for a person. */
  approvals: () => Promise<number>;
  tokens: () => { active: number; expired: number };
  traces: () => { exported: number; dropped: number; failed: number };
  /** How often the process stood still, since it began. */
  stalls: () => number;
  version: string;
}

/** What is known of the proxy as a whole: read when somebody asks, so that a call pays nothing for it. */
export function addProxyGauges(registry: Registry, parts: ProxyParts): void {
  const { log, calls, tokens, traces, stalls, version } = parts;
  const add = (name: string, help: string, value: () => number) =>
    new Gauge({
      name: `mcpproxy_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  add('log_writable', '1 while the activity log can be written', () => Number(log().log === 'ok'));
  add('log_waiting', 'Ends of records that wait for the log', () => log().waiting);
  add('log_lost', 'Ends of records given up because too many waited', () => log().lost);
  add('calls_running', 'Calls that are let in', () => calls().running);
  add('calls_waiting', 'Calls that wait to be let in', () => calls().waiting);
  add('calls_shed', 'Calls refused because there were too many, since the start', () => calls().shed);
  add('tokens_active', 'Tokens of agents that are good', () => tokens().active);
  add('tokens_expired', 'Tokens that are no longer good and not revoked yet', () => tokens().expired);
  add('spans_exported', 'Spans that the collector took, since the start', () => traces().exported);
  add('spans_dropped', 'Spans left out because too many waited', () => traces().dropped);
  add('spans_failed', 'Spans that the collector did not take', () => traces().failed);
  add('stalls', 'How often the process stood still for a second or more', stalls);
  addApprovals(registry, parts.approvals);
  new Gauge({
    name: 'mcpproxy_build_info',
    help: 'The version that runs',
    labelNames: ['version'] as const,
    registers: [registry],
  }).set({ version }, 1);
}

const ASK_MS = 1_000;

/** Counted in the database; while that cannot be asked, the last number stays, and everything else is told all the same. */
function addApprovals(registry: Registry, pending: ProxyParts['approvals']): void {
  const gauge = new Gauge({
    name: 'mcpproxy_approvals_pending',
    help: 'Calls that wait for a person',
    registers: [],
    async collect() {
      const count = await Promise.race([
        pending().catch(() => undefined),
        pause(ASK_MS, undefined, { ref: false }),
      ]);
      if (count !== undefined) this.set(count);
    },
  });
  registry.registerMetric(gauge);
}
