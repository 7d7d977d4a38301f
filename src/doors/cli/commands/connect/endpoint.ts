import { ProxyError } from '../../../../contract/errors.ts';
import { isObject } from '../../../../json/index.ts';
import { baseUrl, localUrl } from '../../../../contract/routes/client.ts';
import { withProxy, type Context, type Reached } from '../../context.ts';

/** The MCP endpoint of the running proxy, or of the configuration where none runs. */
export async function endpointFor(context: Context): Promise<string> {
  if (context.place.url !== undefined) return endpointAt(context.place.url);
  try {
    return await withProxy(context, 'daemon', (reached) => runningEndpoint(context, reached));
  } catch (error) {
    if (!(error instanceof ProxyError) || error.code !== 'NO_DAEMON') throw error;
    const shown = await context.runtime.config.show(context.place);
    const listen = isObject(shown) && typeof shown.listen === 'string' ? shown.listen : '127.0.0.1:8080';
    return endpointAt(`http://${listen}`);
  }
}

/** With `--url` that address: it is the one by which clients reach the proxy. */
export async function runningEndpoint({ place }: Context, { request }: Reached): Promise<string> {
  if (place.url !== undefined) return endpointAt(place.url);
  const { listen } = await request('status', {});
  if (listen) return endpointAt(listen);
  throw new ProxyError('NO_DAEMON', 'The proxy does not listen on an address yet. Try again in a moment');
}

function endpointAt(address: string): string {
  return `${localUrl(baseUrl(address))}/mcp`;
}
