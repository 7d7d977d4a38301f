import type { Database } from '../db/index.ts';
import type { Channel } from './follow.ts';

const NAME = 'mcpproxy_approvals';

/** How the proxies on one database tell each other of a change; undefined where only one can be there. */
export function channelOf(db: Database): Channel | undefined {
  if (db.engine !== 'postgres') return undefined;
  return {
    notify: (id) => db.notify(NAME, id),
    onNotify: (listener) => db.onNotify(NAME, listener),
  };
}
