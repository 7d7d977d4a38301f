import type { RouteInput, RouteOutput } from '../../../../contract/routes/api.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import type { Context, Reached } from '../../context.ts';
import { styleFor } from '../../output/style.ts';

type Body = RouteInput<'callTool'>['body'];

/** Long enough for a call that nobody is asked about, short enough that the person at the terminal hears soon why nothing happens. */
const FIRST_WAIT = '1s';

/** A call that waits for a person is made again until it is decided. Without a daemon nobody could decide meanwhile, so it ends at once. */
export async function callUntilDecided(
  context: Context,
  { request, embedded }: Reached,
  body: Body,
  limitMs: number,
): Promise<RouteOutput<'callTool'>> {
  let told: unknown;
  for (;;) {
    const wait = told === undefined ? { approval_wait: embedded ? '1ms' : FIRST_WAIT } : {};
    try {
      return await request('callTool', { body: { ...body, ...wait } }, limitMs);
    } catch (error) {
      if (embedded || !(error instanceof ProxyError) || error.code !== 'APPROVAL_PENDING') throw error;
      const { approval_id: id } = error.details;
      if (id !== told) tell(context, error);
      told = id;
    }
  }
}

/** On stderr in every output format: it is no result, and without it the command would seem to hang. */
function tell({ io }: Context, { details }: ProxyError): void {
  const { colors } = styleFor(io, 'err');
  const [id, expiry] = [visibleLine(String(details.approval_id)), visibleLine(String(details.expires_at))];
  io.err(
    colors.dim(`waiting for approval ${id} until ${expiry}; decide with: mcpproxy approvals approve ${id}\n`),
  );
}
