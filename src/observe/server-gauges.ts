import { Gauge, type Registry } from 'prom-client';
import type { ServerView } from '../contract/status.ts';

export interface ServerParts {
  servers: () => ServerView[];
}

const STATES: ReadonlyArray<ServerView['state']> = [
  'connecting',
  'ready',
  'degraded',
  'failed',
  'needs_login',
  'disabled',
];
const BREAKER: ReadonlyArray<ServerView['breaker']> = ['closed', 'half_open', 'open'];

/** Gauges of each server. A removed server is not in the next scrape. */
export function addServerGauges(registry: Registry, { servers }: ServerParts): void {
  const add = (name: string, help: string, value: (view: ServerView) => number) =>
    new Gauge({
      name: `mcpproxy_server_${name}`,
      help,
      // Of several workers: what all of them have is told once, what each does is added.
      aggregator: name === 'tools' || name === 'breaker_open' ? 'max' : 'sum',
      labelNames: ['server'] as const,
      registers: [registry],
      collect() {
        this.reset();
        for (const view of servers()) this.set({ server: view.name }, value(view));
      },
    });
  add('tools', 'Tools that the server offers', (view) => view.tool_count);
  add('calls_in_flight', 'Calls sent and not answered yet', (view) => view.in_flight);
  add('calls_queued', 'Calls that wait in the queue', (view) => view.queued);
  add('breaker_open', '1 while calls to it are rejected by the circuit breaker', (view) =>
    Number(view.breaker === 'open'),
  );
  add('retries', 'Retries of reads that could not be sent', (view) => view.retries);
  add('restarts', 'Restarts of the server', (view) => view.restarts);
  addStates(registry, servers, {
    name: 'state',
    help: '1 for the current state of the server',
    states: STATES,
    stateOf: (view) => view.state,
  });
  addStates(registry, servers, {
    name: 'breaker_state',
    help: '1 for the current state of its circuit breaker',
    states: BREAKER,
    stateOf: (view) => view.breaker,
  });
}

interface StateGauge<S extends string> {
  name: string;
  help: string;
  states: readonly S[];
  stateOf: (view: ServerView) => S;
}

/** One series per state, also for states that never occurred, so that alerts can refer to them. */
function addStates<S extends string>(
  registry: Registry,
  servers: ServerParts['servers'],
  { name, help, states, stateOf }: StateGauge<S>,
): void {
  const gauge = new Gauge({
    name: `mcpproxy_server_${name}`,
    help,
    labelNames: ['server', 'state'] as const,
    // Of several workers the first one that knows the server.
    aggregator: 'first',
    registers: [],
    collect() {
      this.reset();
      for (const view of servers())
        for (const state of states) this.set({ server: view.name, state }, Number(stateOf(view) === state));
    },
  });
  registry.registerMetric(gauge);
}
