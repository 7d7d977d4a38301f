import { homedir } from 'node:os';
import { createConnections, listConnectable } from '../../../clients/index.ts';
import type { Handlers, RestParts } from '../parts.ts';

/** What a person writes into the files of a client program. Where the program runs is not known here, so nothing is written. */
export function connectRoutes({ info }: RestParts): Pick<Handlers, 'listClients' | 'clientEntry'> {
  const connections = () =>
    createConnections({
      dataDir: info.dataDir,
      around: { home: homedir(), cwd: '', platform: process.platform, env: {} },
      stdio: { command: 'mcpproxy', args: ['stdio'] },
      now: Date.now,
    });
  return {
    listClients: () => ({ clients: listConnectable() }),
    async clientEntry({ params: { client }, query: { url } }) {
      const { title, variable, files, notes } = await connections().print({ client, url, scope: 'user' });
      return { title, variable, files, notes: [...notes] };
    },
  };
}
