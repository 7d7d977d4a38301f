import type { ClientConnection } from '../../client-runtime.ts';
import type { Context, Reached } from '../../context.ts';
import { runningEndpoint } from './endpoint.ts';

/** Adds the clients whose entry leads to an address where nothing answers, because the proxy was started at another one since. */
export async function withAddresses(
  context: Context,
  reached: Reached,
  connections: readonly ClientConnection[],
): Promise<ClientConnection[]> {
  if (reached.embedded || context.place.url !== undefined) return [...connections];
  const endpoint = await runningEndpoint(context, reached);
  const isLost = async ({ url, stdio }: ClientConnection) =>
    !stdio && url !== endpoint && !(await context.runtime.clients.answers(url));
  return Promise.all(
    connections.map(async (connection) => {
      if (!(await isLost(connection))) return connection;
      const problem = `nothing answers at ${connection.url}: the proxy is at ${endpoint}`;
      return { ...connection, problems: [...connection.problems, problem] };
    }),
  );
}
