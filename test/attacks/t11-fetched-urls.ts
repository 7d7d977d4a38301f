import { exchange, modern, reading } from '../e2e/raw-token.ts';
import { poll } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import type { Attack } from './attack.ts';
import { startCanary } from './canary.ts';
import { startOf } from './scaled.ts';

const REDIRECTS = [301, 302, 303, 307, 308];

/** Only the addresses that the operator wrote down are dialled: not those in a schema, a redirect, a result, an icon or a question. */
export const fetchedUrls: Attack = {
  threat: 'T11',
  title: 'URLs of servers are not followed',
  async run(tally, scale) {
    const canary = await startCanary();
    const redirecting = await startCanary((req, res) => {
      const code = Number(/\d+/.exec(req.url ?? '')?.[0]);
      res.writeHead(code, { location: `${canary.url}/redirect-${code}` }).end();
    });
    const mcpServers = {
      links: fixture('links.mjs', canary.url),
      ...Object.fromEntries(REDIRECTS.map((code) => [`r${code}`, { url: `${redirecting.url}/${code}` }])),
    };
    const proxy = await startOf(scale)({ config: { mcpServers }, waitReady: false });
    try {
      await poll(
        'the redirecting servers to be tried',
        proxy.stderr,
        () =>
          REDIRECTS.every((code) => redirecting.hits.some((hit) => hit.includes(`/${code}`))) || undefined,
      );
      await poll(
        'the tools',
        proxy.stderr,
        async () => (await proxy.rest.request('listTools', { server: 'links' })).total === 3 || undefined,
      );
      const { token } = await proxy.rest.request('createToken', { body: { name: 'agent' } });
      const call = async (name: string, args: Record<string, unknown>) => {
        const input = name.includes(':') ? reading(name, args) : { name, arguments: args };
        return exchange(proxy.url, { token, ...modern('tools/call', input) }).ended;
      };
      const answers = [
        await call('retrieve_tools', { query: 'refer show ask links' }),
        await call('describe_tool', { names: ['links:refer', 'links:show', 'links:ask'] }),
        await call('links:refer', { a: 1, b: { c: [canary.url] } }),
        await call('links:show', {}),
        await call('links:ask', { url: `${canary.url}/argument` }),
        // An agent that asks for a server of its own choice.
        await call('http://169.254.169.254:latest', {}),
      ];
      tally.held(
        answers.some((text) => text.includes(canary.url)),
        'the links did not get through at all',
      );
      for (const path of ['/', '/api/v1/tools?server=links', '/api/v1/activity', '/api/v1/servers'])
        await fetch(proxy.url + path, { headers: { 'x-api-key': proxy.key } });
      const { servers } = await proxy.rest.request('listServers', {});
      for (const code of REDIRECTS)
        tally.held(
          servers.find(({ name }) => name === `r${code}`)?.state !== 'ready',
          `a redirect ${code} was followed`,
        );
      tally.held(canary.hits.length === 0, `fetched: ${canary.hits.join(', ')}`);
      tally.figure(`${answers.length} calls, ${REDIRECTS.length} redirects, ${canary.hits.length} hits`);
    } finally {
      await proxy.dispose();
      await Promise.all([canary.stop(), redirecting.stop()]);
    }
  },
};
