import { newId, type Clock } from '../../lib/clock.ts';
import type { ToolChangeDraft } from './report-changes.ts';

type Record = (draft: ToolChangeDraft) => void;

/** Records of their own that the changes of one server have per hour; further ones are counted in one record per minute. */
const MAX_PER_HOUR = 1000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const MAX_NAMES = 100;

interface Spent {
  since: number;
  records: number;
  further: number;
  weakened: number;
  tools: Set<string>;
}

/** Changes are evidence and stay for long, so a server that changes at every listing must not be able to fill the disk with them. */
export function createRecordQuota(write: Record, clock: Clock): { record: Record; flush: () => void } {
  const servers = new Map<string, Spent>();
  let timer: NodeJS.Timeout | undefined;

  function spentBy(server: string): Spent {
    const known = servers.get(server);
    if (known && (clock.now() < known.since + HOUR_MS || known.further > 0)) return known;
    const spent = { since: clock.now(), records: 0, further: 0, weakened: 0, tools: new Set<string>() };
    servers.set(server, spent);
    return spent;
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const [server, spent] of servers) {
      const { further, weakened, tools } = spent;
      if (further === 0) continue;
      Object.assign(spent, { further: 0, weakened: 0, tools: new Set() });
      const metadata = { change: 'further_changes', further, weakened, tools: [...tools] };
      write({ type: 'tool_change', source: 'system', server_name: server, request_id: newId(), metadata });
    }
  }

  return {
    flush,
    record(draft) {
      const spent = spentBy(draft.server_name);
      if (spent.records++ < MAX_PER_HOUR) return write(draft);
      spent.further += Number(draft.metadata.further ?? 1);
      if (draft.metadata.change === 'hints_weakened') spent.weakened++;
      if (draft.tool_name !== undefined && spent.tools.size < MAX_NAMES) spent.tools.add(draft.tool_name);
      timer ??= setTimeout(flush, MINUTE_MS).unref();
    },
  };
}
