import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { Series } from './sum-series.ts';
import type { CallRequest, CallTool } from '../road/index.ts';
import { toProxyError } from '../contract/errors.ts';
import { variantFor } from '../contract/operation.ts';
import { ofRequest, type Log } from '../lib/log.ts';
import { readProxiedUri } from '../lib/resource-uri.ts';
import { visibleLine } from '../lib/visible-text.ts';
import { maskText } from '../log/index.ts';
import { addProxyGauges, type ProxyParts } from './proxy-gauges.ts';
import { addServerGauges, type ServerParts } from './server-gauges.ts';

export interface MetricsParts extends ServerParts, ProxyParts {
  /** Called for every call, so it must be cheap. */
  isServer: (name: string) => boolean;
}

export interface Metrics {
  /** Counts and times each call. */
  readonly withMetrics: (callTool: CallTool) => CallTool;
  /** A group of records was written, or its write failed. */
  logWritten(ms: number): void;
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  series(): Promise<Series>;
  readonly contentType: string;
}

/** Callers choose names, so only existing servers become labels: invented names must not fill the memory. */
const OTHER = 'none';
const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const WRITE_SECONDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];

export function createMetrics(parts: MetricsParts): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'mcpproxy_' });
  const calls = createCallMetrics(registry);
  const writes = new Histogram({
    name: 'mcpproxy_log_write_duration_seconds',
    help: 'Time to write a group of records to disk, also where it failed',
    buckets: WRITE_SECONDS,
    registers: [registry],
  });
  addServerGauges(registry, parts);
  addProxyGauges(registry, parts);

  function serverOf(input: unknown): string {
    const { name, uri } = (input ?? {}) as { name?: unknown; uri?: unknown };
    const named = typeof name === 'string' ? name.slice(0, Math.max(0, name.indexOf(':'))) : '';
    const server = typeof uri === 'string' ? (readProxiedUri(uri)?.server ?? '') : named;
    return parts.isServer(server) ? server : OTHER;
  }

  function record({ operation, input }: CallRequest, status: string, started: number): void {
    const server = serverOf(input);
    calls.total.inc({ operation, server, status });
    calls.seconds.observe({ operation, server }, (performance.now() - started) / 1000);
  }

  return {
    withMetrics: (callTool) => async (request) => {
      const started = performance.now();
      try {
        const result = await callTool(request);
        record(request, result.isError === true ? 'error' : 'success', started);
        return result;
      } catch (cause) {
        const { outcome, code } = toProxyError(cause);
        record(request, outcome, started);
        calls.errors.inc({ code });
        throw cause;
      }
    },
    logWritten: (ms) => writes.observe(ms / 1000),
    text: () => registry.metrics(),
    series: () => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
  };
}

function createCallMetrics(registry: Registry) {
  const registers = [registry];
  return {
    total: new Counter({
      name: 'mcpproxy_calls_total',
      help: 'Tool calls by declared operation, outcome and server',
      labelNames: ['operation', 'status', 'server'] as const,
      registers,
    }),
    seconds: new Histogram({
      name: 'mcpproxy_call_duration_seconds',
      help: 'Time from the request to its answer, including the wait for approval',
      labelNames: ['operation', 'server'] as const,
      buckets: CALL_SECONDS,
      registers,
    }),
    errors: new Counter({
      name: 'mcpproxy_call_errors_total',
      help: 'Calls that the proxy refused or could not complete, by error code',
      labelNames: ['code'] as const,
      registers,
    }),
  };
}

/** How many failures are logged per second; further ones are counted. */
const PER_SECOND = 10;
/** Longer names are not shown, not even cut: a part of a secret may not be recognised as one. */
const MAX_SHOWN = 500;

/**
 * Adds a log line for each call that refers to its record and trace: failed calls at level info, with a rate limit, all others at level
 * debug. Arguments and results are never logged, as they may be secret.
 */
export function createCallLog(log: Log): (callTool: CallTool) => CallTool {
  let second = 0;
  let logged = 0;
  let suppressed = 0;

  function mayLog(): boolean {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) [second, logged] = [now, 0];
    if (logged++ < PER_SECOND) return true;
    suppressed++;
    return false;
  }

  function fail(request: CallRequest, started: number, cause: unknown): void {
    const { code, outcome } = toProxyError(cause);
    const isFailure = outcome === 'error' || outcome === 'unknown';
    const fields = () => ({ ...callFields(request, started, outcome), code });
    if (!isFailure) return void (log.isLevelEnabled('debug') && log.debug(fields(), 'call refused'));
    if (!mayLog()) return;
    log.info({ ...fields(), ...(suppressed > 0 && { untold: suppressed }) }, 'call failed');
    suppressed = 0;
  }

  return (callTool) => async (request) => {
    const started = performance.now();
    try {
      const result = await callTool(request);
      const status = result.isError === true ? 'error' : 'success';
      if (log.isLevelEnabled('debug')) log.debug(callFields(request, started, status), 'call');
      return result;
    } catch (cause) {
      fail(request, started, cause);
      throw cause;
    }
  };
}

function callFields({ operation, input, caller }: CallRequest, started: number, status: string) {
  const { name: called, uri } = (input ?? {}) as { name?: unknown; uri?: unknown };
  const name = called ?? uri;
  return {
    ...ofRequest(caller),
    ...(typeof name === 'string' && { tool: shownName(name) }),
    variant: variantFor(operation),
    status,
    ms: Math.round(performance.now() - started),
  };
}

/** A caller may send anything as a name, also a secret. */
const shownName = (name: string) =>
  name.length > MAX_SHOWN ? `[${name.length} characters]` : visibleLine(maskText(name));
