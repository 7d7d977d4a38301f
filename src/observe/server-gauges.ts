import { Gauge, type Registry } from 'prom-client';
import type { ServerView } from '../contract/status.ts';

export interface ServerParts {
  servers: () => ServerView[];
}

const STATES: ReadonlyArray<ServerView['state']> = ['connecting', 'ready', 'degraded', 'failed', 'disabled'];
const BREAKER: ReadonlyArray<ServerView['breaker']> = ['closed', 'half_open', 'open'];

/** What is known of each server. One that was removed is gone from the next answer. */
export function addServerGauges(registry: Registry, { servers }: ServerParts): void {
  const add = (name: string, help: string, value: (view: ServerView) => number) =>
    new Gauge({
      name: `mcpproxy_server_${name}`,
      help,
      labelNames: ['server'] as const,
      registers: [registry],
      collect() {
        this.reset();
        for (const view of servers()) this.set({ server: view.name }, value(view));
      },
    });
  add('tools', 'Tools that the server offers', (view) => view.tool_count);
  add('calls_in_flight', 'Calls sent and not answered', (view) => view.in_flight);
  add('calls_queued', 'Calls that wait for their turn', (view) => view.queued);
  add('breaker_open', '1 while calls to it are refused at once', (view) => Number(view.breaker === 'open'));
  add('retries', 'Reads that were tried again as they could not be sent', (view) => view.retries);
  add('restarts', 'How often it was started again', (view) => view.restarts);
  addStates(
    registry,
    'state',
    '1 for the state that the server is in',
    STATES,
    servers,
    (view) => view.state,
  );
  addStates(
    registry,
    'breaker_state',
    '1 for the state that its circuit breaker is in',
    BREAKER,
    servers,
    (view) => view.breaker,
  );
}

/** A series for each state, so that one which was never seen is there to be alarmed about. */
function addStates<S extends string>(
  registry: Registry,
  name: string,
  help: string,
  states: readonly S[],
  servers: ServerParts['servers'],
  stateOf: (view: ServerView) => S,
): void {
  const gauge = new Gauge({
    name: `mcpproxy_server_${name}`,
    help,
    labelNames: ['server', 'state'] as const,
    registers: [],
    collect() {
      this.reset();
      for (const view of servers())
        for (const state of states) this.set({ server: view.name, state }, Number(stateOf(view) === state));
    },
  });
  registry.registerMetric(gauge);
}
