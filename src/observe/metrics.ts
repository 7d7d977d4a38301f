import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CallRequest, CallTool } from '../call/call-tool.ts';
import { toProxyError } from '../contract/errors.ts';
import { operationOf } from '../contract/operation.ts';
import type { ServerState, ServerView } from '../contract/server.ts';

export interface MetricsParts {
  servers: () => Array<ServerView & { queued?: number }>;
  /** Asked for every call, so it must cost nothing. */
  isServer: (name: string) => boolean;
  log: () => { log: 'ok' | 'unavailable'; waiting: number; lost: number };
  calls: () => { running: number; waiting: number; shed: number };
  /** How often the process stood still, since it began. */
  stalls: () => number;
  version: string;
}

export interface Metrics {
  /** The same road, with each call counted and timed. */
  measured(callTool: CallTool): CallTool;
  /** In the text form that Prometheus reads. */
  text(): Promise<string>;
  readonly contentType: string;
}

const STATES: readonly ServerState[] = ['connecting', 'ready', 'degraded', 'failed', 'disabled'];
/** Callers choose names, so only servers that exist become labels: whoever invents names must not fill the memory. */
const OTHER = 'none';

export function createMetrics(parts: MetricsParts): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'mcpproxy_' });
  const calls = new Counter({
    name: 'mcpproxy_calls_total',
    help: 'Tool calls by declared operation, outcome and server',
    labelNames: ['operation', 'status', 'server'] as const,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'mcpproxy_call_duration_seconds',
    help: 'Time from the door to the answer, the wait for a person included',
    labelNames: ['operation', 'server'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [registry],
  });
  addServerGauges(registry, parts);
  addLogGauges(registry, parts);

  function serverOf(input: unknown): string {
    const name = (input as { name?: unknown } | null)?.name;
    const server = typeof name === 'string' ? name.slice(0, Math.max(0, name.indexOf(':'))) : '';
    return parts.isServer(server) ? server : OTHER;
  }

  function note({ variant, input }: CallRequest, status: string, started: number): void {
    const labels = { operation: operationOf(variant), server: serverOf(input) };
    calls.inc({ ...labels, status });
    seconds.observe(labels, (performance.now() - started) / 1000);
  }

  return {
    measured: (callTool) => async (request) => {
      const started = performance.now();
      try {
        const result = await callTool(request);
        note(request, result.isError === true ? 'error' : 'success', started);
        return result;
      } catch (error) {
        note(request, toProxyError(error).outcome, started);
        throw error;
      }
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function addServerGauges(registry: Registry, { servers, version }: MetricsParts): void {
  const gauge = (
    name: string,
    help: string,
    value: (view: ReturnType<MetricsParts['servers']>[number]) => number,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ['server'] as const,
      registers: [registry],
      collect() {
        this.reset();
        for (const view of servers()) this.set({ server: view.name }, value(view));
      },
    });
  gauge('mcpproxy_server_tools', 'Tools that the server offers', (view) => view.tool_count);
  gauge('mcpproxy_server_calls_in_flight', 'Calls sent and not answered', (view) => view.in_flight);
  gauge('mcpproxy_server_calls_queued', 'Calls that wait for their turn', (view) => view.queued ?? 0);
  gauge('mcpproxy_server_breaker_open', '1 while calls to it are refused at once', ({ breaker }) =>
    breaker === 'open' ? 1 : 0,
  );
  gauge(
    'mcpproxy_server_retries',
    'Reads that were tried again as they could not be sent',
    (view) => view.retries,
  );
  gauge('mcpproxy_server_restarts', 'How often it was started again', (view) => view.restarts);
  const states = new Gauge({
    name: 'mcpproxy_server_state',
    help: '1 for the state that the server is in',
    labelNames: ['server', 'state'] as const,
    registers: [],
    collect() {
      this.reset();
      for (const { name, state } of servers())
        for (const each of STATES) this.set({ server: name, state: each }, each === state ? 1 : 0);
    },
  });
  registry.registerMetric(states);
  new Gauge({
    name: 'mcpproxy_build_info',
    help: 'The version that runs',
    labelNames: ['version'] as const,
    registers: [registry],
  }).set({ version }, 1);
}

function addLogGauges(registry: Registry, { log, stalls, calls }: MetricsParts): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  gauge('mcpproxy_log_writable', '1 while the activity log can be written', () =>
    log().log === 'ok' ? 1 : 0,
  );
  gauge('mcpproxy_log_waiting', 'Ends of records that wait for the log', () => log().waiting);
  gauge('mcpproxy_log_lost', 'Ends of records given up because too many waited', () => log().lost);
  gauge('mcpproxy_calls_running', 'Calls that are let in', () => calls().running);
  gauge('mcpproxy_calls_waiting', 'Calls that wait to be let in', () => calls().waiting);
  gauge(
    'mcpproxy_calls_shed',
    'Calls refused because there were too many, since the start',
    () => calls().shed,
  );
  gauge('mcpproxy_stalls', 'How often the process stood still for a second or more', stalls);
}
