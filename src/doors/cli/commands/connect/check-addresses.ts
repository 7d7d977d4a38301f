import type { ClientConnection } from '../../client-runtime.ts';
import type { Context, Reached } from '../../context.ts';
import { runningEndpoint } from './endpoint.ts';

/** A connection, and whether it waits for a proxy that does not run. */
export interface AddressedConnection extends ClientConnection {
  proxyStopped?: boolean;
}

/** Adds the clients whose entry leads to an address where nothing answers: no proxy runs, or it was started at another one since. */
export async function withAddresses(
  context: Context,
  reached: Reached,
  connections: readonly ClientConnection[],
): Promise<AddressedConnection[]> {
  if (context.place.url !== undefined) return [...connections];
  const endpoint = reached.embedded ? undefined : await runningEndpoint(context, reached);
  const isLost = async ({ url, stdio }: ClientConnection) =>
    !stdio && url !== endpoint && !(await context.runtime.clients.answers(url));
  return Promise.all(
    connections.map(async (connection) => {
      if (!(await isLost(connection))) return connection;
      if (endpoint === undefined) return { ...connection, proxyStopped: true };
      const problem = `nothing answers at ${connection.url}: the proxy is at ${endpoint}`;
      return { ...connection, problems: [...connection.problems, problem] };
    }),
  );
}
