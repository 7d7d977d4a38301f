import type { JudgedTool } from '../../../../src/contract/tool.ts';
import { useLive } from '../../live/live.ts';
import { client, queries, useApi } from '../../session/api.ts';

const LIMIT = 200;
const SHOWS = ['getTool', 'listTools', 'searchTools', 'diffTool', 'status', 'toolRisk'] as const;

/** A definition that waits for a decision: new, changed or withheld, and not rejected. */
export function useReview() {
  const changed = useApi('listTools', { changed: 'true', limit: LIMIT });
  const withheld = useApi('listTools', { withheld: 'true', limit: LIMIT });
  useLive('tools', () => void queries.invalidateQueries({ queryKey: ['listTools'] }));
  const data =
    changed.data && withheld.data
      ? {
          tools: inOrder([...withheld.data.tools, ...changed.data.tools]),
          isMore: changed.data.next_cursor !== null || withheld.data.next_cursor !== null,
        }
      : undefined;
  return {
    data,
    error: changed.error ?? withheld.error,
    refetch: () => Promise.all([changed.refetch(), withheld.refetch()]),
  };
}

/** Suspicious ones first, then what agents miss, then what changed, then what is only new. */
function inOrder(tools: readonly JudgedTool[]): JudgedTool[] {
  const byName = new Map(tools.filter(({ rejected }) => !rejected).map((tool) => [tool.name, tool]));
  return [...byName.values()].sort((a, b) => rankOf(a) - rankOf(b) || (a.name < b.name ? -1 : 1));
}

export const rankOf = ({ suspicious, withheld, standing }: JudgedTool): number =>
  suspicious ? 0 : withheld ? 1 : standing === 'changed' ? 2 : 3;

export type Decision = 'accept' | 'destructive' | 'reject';

/** Decides about the definition that was seen; another one is not touched. */
export async function decide(name: string, hash: string, decision: Decision): Promise<void> {
  if (decision === 'reject') await client.request('rejectTool', { name, hash });
  else {
    // The verdict first: at no moment may agents call the tool as anything less.
    if (decision === 'destructive')
      await client.request('setOperation', { name, body: { operation: 'destructive' } });
    await client.request('approveTool', { name, hash });
  }
}

export const refreshTools = (): Promise<unknown> =>
  Promise.all(SHOWS.map((route) => queries.invalidateQueries({ queryKey: [route] })));
