import { ProxyError } from '../../../../contract/errors.ts';
import { withPlace, withProxy, type Context } from '../../context.ts';
import type { Check } from '../doctor-checks.ts';
import { withAddresses } from './check-addresses.ts';
import { detailOf, withTokens, type ConnectionView } from './show-connections.ts';

const SOON_MS = 14 * 86_400_000;

/** One check per connected client: its files as they were written, and its token. */
export async function clientChecks(context: Context): Promise<Check[]> {
  const connections = await context.runtime.clients.status(context.place);
  if (connections.length === 0) return [];
  try {
    const views = await withProxy(context, 'daemon', async (reached) => {
      const { tokens } = await reached.request('listTokens', { all: 'true' });
      return withTokens(await withAddresses(context, reached, connections), tokens);
    });
    return views.map((view) => checkOf(context, view));
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error;
    // Without the proxy only the files can be checked.
    return connections.map(({ client, problems }) => ({
      check: `client ${client}`,
      result: problems.length > 0 ? 'warning' : 'ok',
      says:
        problems.length > 0
          ? problems.join('; ')
          : 'its files are as they were written; its token was not checked',
    }));
  }
}

function checkOf({ place, io }: Context, view: ConnectionView): Check {
  const { client, state, token, expires_at: expires } = view;
  const check = `client ${client}`;
  if (state !== 'connected')
    return {
      check,
      result: state === 'no token' ? 'failed' : 'warning',
      says: withPlace(place, detailOf(view)),
    };
  if (expires !== null && Date.parse(expires) - io.now() < SOON_MS)
    return {
      check,
      result: 'warning',
      says: `Its token expires at ${expires}`,
      next: withPlace(place, `Replace it: mcpproxy connect ${client}`),
    };
  return {
    check,
    result: 'ok',
    says: `connected with the token '${token.name}'; its files are as they were written`,
  };
}
