import type { ApprovalsConfig } from '../contract/approval-policy.ts';
import { durationMs } from '../contract/config.ts';
import { glob } from '../lib/pattern.ts';

/**
 * Programs that give up soon. `mcp` is the name of Python programs that give themselves none, such as those with the OpenAI Agents SDK,
 * which gives up after five seconds.
 */
const SHORT_WAITS: Readonly<Record<string, number>> = { mcp: 4_000, 'openai-agents': 4_000 };

/** How long a request of a client program stays open while its call waits for a person. `client`: NAME/VERSION, as it names itself. */
export function clientWaitMs(
  { wait, wait_by_client: byClient }: Pick<ApprovalsConfig, 'wait' | 'wait_by_client'>,
  client: string | undefined,
): number {
  const usual = durationMs(wait);
  if (client === undefined) return usual;
  const end = client.indexOf('/');
  const name = end < 0 ? client : client.slice(0, end);
  const configured = Object.entries(byClient).find(([pattern]) => glob(pattern)(name));
  if (configured) return durationMs(configured[1]);
  return Object.hasOwn(SHORT_WAITS, name) ? Math.min(usual, SHORT_WAITS[name]!) : usual;
}
