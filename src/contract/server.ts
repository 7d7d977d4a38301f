import { z } from 'zod';

export const ServerState = z.enum(['connecting', 'ready', 'degraded', 'failed', 'disabled']);
export type ServerState = z.infer<typeof ServerState>;

export const BreakerState = z.enum(['closed', 'open', 'half_open']);

export const WaitingFor = z.enum(['first_answer', 'tool_list']);
export type WaitingFor = z.infer<typeof WaitingFor>;

export const ServerView = z.object({
  name: z.string().describe('the alias, which stands in server:tool'),
  title: z.string().describe('the name as written in the configuration'),
  description: z.string().optional(),
  transport: z.enum(['stdio', 'http', 'sse', 'builtin']),
  target: z.string().describe('command line or URL, secrets masked'),
  state: ServerState,
  enabled: z.boolean(),
  tool_count: z.number(),
  protocol: z.string().optional().describe('negotiated MCP revision'),
  server_info: z.object({ name: z.string(), version: z.string() }).optional(),
  pid: z.number().optional(),
  last_error: z.string().optional(),
  warnings: z
    .array(z.string())
    .optional()
    .describe('what in its entry of the configuration has no effect, or is read in a way worth knowing'),
  since: z.string().describe('when this state began'),
  waiting_for: WaitingFor.optional().describe(
    'while it is being connected, also after a failure: the answer that is waited for',
  ),
  waiting_since: z.string().optional().describe('since when that answer is waited for'),
  restarts: z.number(),
  in_flight: z.number(),
  queued: z.number().describe('calls that wait for their turn'),
  breaker: BreakerState.describe(
    'open: it failed several times in a row, and calls are refused at once; half_open: one call may try',
  ),
  retries: z
    .number()
    .describe('reads that were tried a second time because they could not be sent, since the start'),
});
export type ServerView = z.infer<typeof ServerView>;

const WAITING: Record<WaitingFor, string> = {
  first_answer: 'no answer yet',
  tool_list: 'no list of tools yet',
};

/** What a server that is being connected has not said yet, in words. */
export function waitingText(
  { waiting_for: what, waiting_since: since }: Pick<ServerView, 'waiting_for' | 'waiting_since'>,
  now: number,
): string | undefined {
  if (what === undefined || since === undefined) return undefined;
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  return `${WAITING[what]} after ${seconds} s`;
}
