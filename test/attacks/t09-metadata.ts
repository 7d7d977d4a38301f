import { readdirSync, readFileSync } from 'node:fs';
import { poll, startProxy } from '../e2e/start-proxy.ts';
import type { Attack } from './attack.ts';
import { startCanary } from './canary.ts';

const EVIL = (canary: string) => [
  `${canary}/.well-known/oauth-protected-resource`,
  'javascript:alert(1)',
  'file:///etc/passwd',
  'data:text/html,x',
  `${canary}/$(touch pwned)`,
  'a"&calc',
  'http://169.254.169.254/latest/meta-data/',
];

/** A server that answers "who are you?" and names where to go. Nobody goes there, and no program is started for it. */
export const metadata: Attack = {
  threat: 'T09',
  title: 'hostile authorization metadata of a server',
  async run(tally) {
    const canary = await startCanary();
    const servers = await Promise.all(
      EVIL(canary.url).map((link) =>
        startCanary((_, res) => {
          const challenge = `Bearer resource_metadata="${link.replaceAll('"', '\\"')}"`;
          res.writeHead(401, { 'www-authenticate': challenge, location: link, link: `<${link}>; rel=help` });
          res.end(JSON.stringify({ authorization_endpoint: link, error_uri: link }));
        }),
      ),
    );
    const mcpServers = Object.fromEntries(
      servers.map(({ url }, i) => [`evil${i}`, { url: `${url}/mcp`, timeout: '5s' }]),
    );
    const proxy = await startProxy({ config: { mcpServers }, waitReady: false });
    try {
      await poll('every server to be tried', proxy.stderr, () =>
        servers.every(({ hits }) => hits.length > 0) ? true : undefined,
      );
      await poll('every server to be given up', proxy.stderr, async () => {
        const { servers: views } = await proxy.rest.request('listServers', {});
        return views.every(({ name, last_error: error }) => name === 'tasks' || error) || undefined;
      });
      tally.held(canary.hits.length === 0, `the metadata was fetched: ${canary.hits.join(', ')}`);
      const children = childrenOf(proxy.pid);
      tally.held(children.length === 0, `programs were started: ${children.join(', ')}`);
      for (const [i, { hits }] of servers.entries())
        tally.held(
          hits.every((hit) => hit.endsWith(' /mcp')),
          `evil${i} was asked for more than /mcp: ${hits.join(', ')}`,
        );
      tally.figure(
        `${servers.length} servers, ${servers.reduce((sum, { hits }) => sum + hits.length, 0)} requests`,
      );
    } finally {
      await proxy.dispose();
      await Promise.all([canary, ...servers].map((each) => each.stop()));
    }
  },
};

function childrenOf(parent: number): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [, ppid] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
        return Number(ppid) === parent ? [readFileSync(`/proc/${pid}/cmdline`, 'latin1')] : [];
      } catch {
        return [];
      }
    });
}
