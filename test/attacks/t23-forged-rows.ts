import { join } from 'node:path';
import { startProxy } from '../e2e/start-proxy.ts';
import { openExecutionLog } from '../fixtures/execution-log.ts';
import type { Attack, Scale, Tally } from './attack.ts';
import { databaseWriter } from './database-writer.ts';
import { approvedBySql, forgedGrants, otherCallShown, usedApproval } from './forged-approvals.ts';
import type { Change, Forgery, Ground } from './forged-ground.ts';
import { forgedTokens, revokedToken } from './forged-tokens.ts';
import { deletedVerdict, forgedVerdict, noSeals } from './forged-verdicts.ts';

/** Rows that let something pass, written by somebody who can write the database but has no key of the proxy. */
export const forgedRows: Attack = {
  threat: 'T23',
  title: 'forged rows in both engines',
  async run(tally, scale, newDatabase) {
    await onEngine(tally, scale);
    const { url, remove } = await newDatabase();
    try {
      await onEngine(tally, scale, url);
    } finally {
      await remove();
    }
  },
};

async function onEngine(tally: Tally, scale: Scale, url?: string): Promise<void> {
  const log = openExecutionLog();
  const env = url === undefined ? {} : { MCPPROXY_DATABASE_URL: url };
  const approvals = { require: ['destructive'], wait: '0s' };
  const later: Array<{ change: Change; check: () => Promise<void> }> = [];
  const ground: Ground = {
    proxy: await startProxy({ config: { mcpServers: { up: log.server() }, approvals }, env }),
    async restart(change) {
      await ground.proxy.stop();
      await change?.();
      ground.proxy = await startProxy({ home: ground.proxy.home, env });
    },
    afterRestart: (change, check) => void later.push({ change, check }),
    log,
    db: databaseWriter(url ?? ''),
    held: (ok, what) => tally.held(ok, `${url === undefined ? 'SQLite' : 'PostgreSQL'}: ${what}`),
  };
  if (url === undefined) ground.db = databaseWriter(join(ground.proxy.dataDir, 'mcpproxy.db'));
  try {
    for (const forgeries of groupsOf(scale, url)) {
      for (const forge of forgeries) await forge(ground);
      while (later.length > 0) {
        const some = later.splice(0);
        await ground.restart(async () => {
          for (const { change } of some) await change();
        });
        for (const { check } of some) await check();
      }
    }
  } finally {
    await ground.proxy.dispose();
    log.remove();
  }
}

/** Those of a group share their restarts. The stores of verdicts and seals do not differ between engines, so in small sizes one is enough. */
function groupsOf(scale: Scale, url: string | undefined): Forgery[][] {
  const calls = [forgedTokens, revokedToken, approvedBySql, usedApproval, forgedGrants, otherCallShown];
  const tools = [forgedVerdict, deletedVerdict];
  if (scale === 'full') return [...calls, ...tools, noSeals].map((each) => [each]);
  return url === undefined ? [calls, tools] : [[forgedTokens, approvedBySql, usedApproval, forgedGrants]];
}
