import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Approval, DecisionBody } from '../../src/contract/approval.ts';
import { digestOf, newSecret } from '../../src/token/secret.ts';
import { openExecutionLog, type ExecutionLog } from '../fixtures/execution-log.ts';
import { startPostgres } from '../fixtures/postgres-server.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { databaseWriter, literal, type DatabaseWriter } from './database-writer.ts';
import type { Attack, Tally } from './attack.ts';

/** Rows that let something pass, written by somebody who can write the database but has no key of the proxy. */
export const forgedRows: Attack = {
  threat: 'T23',
  title: 'forged rows in both engines',
  async run(tally) {
    await onEngine(tally, undefined);
    const server = await startPostgres();
    try {
      await onEngine(tally, await server.createDatabase());
    } finally {
      await server.remove();
    }
  },
};

interface Ground {
  proxy: RunningProxy;
  restart(change?: () => Promise<void> | void): Promise<void>;
  log: ExecutionLog;
  db: DatabaseWriter;
  held: (ok: boolean, what: string) => void;
}

async function onEngine(tally: Tally, url: string | undefined): Promise<void> {
  const log = openExecutionLog();
  const env = url === undefined ? {} : { MCPPROXY_DATABASE_URL: url };
  const approvals = { require: ['destructive'], wait: '0s' };
  const ground: Ground = {
    proxy: await startProxy({ config: { mcpServers: { up: log.server() }, approvals }, env }),
    async restart(change) {
      await ground.proxy.stop();
      await change?.();
      ground.proxy = await startProxy({ home: ground.proxy.home, env });
    },
    log,
    db: databaseWriter(url ?? ''),
    held: (ok, what) => tally.held(ok, `${url === undefined ? 'SQLite' : 'PostgreSQL'}: ${what}`),
  };
  if (url === undefined) ground.db = databaseWriter(join(ground.proxy.dataDir, 'mcpproxy.db'));
  try {
    await forgedTokens(ground);
    await revokedToken(ground);
    await approvedBySql(ground);
    await usedApproval(ground);
    await forgedGrants(ground);
    await otherCallShown(ground);
    await forgedVerdict(ground);
    await noSeals(ground);
  } finally {
    await ground.proxy.dispose();
    log.remove();
  }
}

/** Waits for the record that says that a row does not count. */
const recorded = ({ proxy }: Ground, id: string, trouble?: string) =>
  poll(`the record of ${id}`, proxy.stderr, async () => {
    const { records } = await proxy.rest.request('listActivity', {
      type: 'finding',
      status: 'refused',
      limit: 100,
    });
    return records.find(({ metadata }) => {
      const row = metadata.row as { id?: string; trouble?: string } | undefined;
      return row?.id === id && (trouble === undefined || row.trouble === trouble);
    });
  });

async function statusOf({ proxy }: Ground, token: string): Promise<number> {
  const answer = await fetch(`${proxy.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

const NOTICED = `UPDATE token_state SET value = value + 1 WHERE key = 'revision'`;

async function forgedTokens(ground: Ground): Promise<void> {
  const { proxy, db, held } = ground;
  const make = (name: string) =>
    proxy.rest.request('createToken', { body: { name, operations: ['read'], expires: '1h' } });
  const honest = await make('honest');
  held((await statusOf(ground, honest.token)) === 200, 'an honest token does not work');

  const [row] = await db.rows(`SELECT * FROM tokens WHERE name = 'honest'`);
  for (const seal of [null, row!.seal!, '1.1.AAAA']) {
    const secret = newSecret();
    const id = `01FORGED${String(seal).length}${Math.trunc(Math.random() * 1e9)}`;
    const forged = { ...row, id, name: id, digest: digestOf(secret), seal };
    await db.run(
      `INSERT INTO tokens (${Object.keys(forged).join()}) VALUES (${Object.values(forged)
        .map((each) => literal(each))
        .join()})`,
    );
    await db.run(NOTICED);
    await recorded(ground, id);
    held((await statusOf(ground, secret)) === 401, `an inserted token is accepted (seal ${String(seal)})`);
  }
  const widened = {
    scope: `'{"operations":["read","write","destructive"]}'`,
    expires_at: 'NULL',
    user_id: `'root'`,
  };
  for (const [column, value] of Object.entries(widened)) {
    const { id, token } = await make(`changed-${column.replace('_', '-')}`);
    held((await statusOf(ground, token)) === 200, 'a new token does not work');
    await db.run(`UPDATE tokens SET ${column} = ${value} WHERE id = '${id}'`);
    await db.run(NOTICED);
    await recorded(ground, id);
    held((await statusOf(ground, token)) === 401, `a token with another ${column} is accepted`);
  }
  const [a, b] = [await make('swapped-a'), await make('swapped-b')];
  await db.run(`UPDATE tokens SET digest = 'x' WHERE id = '${a.id}'`);
  await db.run(`UPDATE tokens SET digest = '${digestOf(a.token)}' WHERE id = '${b.id}'`);
  await db.run(`UPDATE tokens SET digest = '${digestOf(b.token)}' WHERE id = '${a.id}'`);
  await db.run(NOTICED);
  await recorded(ground, b.id);
  for (const { token } of [a, b])
    held((await statusOf(ground, token)) === 401, 'two tokens with swapped rows are accepted');
  const { tokens } = await proxy.rest.request('listTokens', { all: 'true' });
  held(
    tokens.find(({ id }) => id === a.id)?.status === 'invalid',
    'a changed token is not listed as invalid',
  );
}

async function revokedToken(ground: Ground): Promise<void> {
  const { db, held } = ground;
  const { id, token } = await ground.proxy.rest.request('createToken', { body: { name: 'ended' } });
  const [row] = await db.rows(`SELECT * FROM tokens WHERE id = '${id}'`);
  await ground.proxy.rest.request('revokeToken', { id });
  await db.putBack('tokens', row!);
  await db.run(NOTICED);
  await recorded(ground, id, 'older');
  held((await statusOf(ground, token)) === 401, 'a revoked token is back');
  await ground.restart();
  held((await statusOf(ground, token)) === 401, 'a revoked token is back after a restart');
}

const call = ({ proxy }: Ground, text: string): Promise<string> =>
  proxy.rest
    .request('callTool', {
      body: {
        tool_variant: 'call_tool_destructive',
        name: 'up:destructive',
        args: { text },
        intent: { operation_type: 'destructive' },
      },
    })
    .then(
      () => 'ran',
      (error: unknown) => (error as { code: string }).code,
    );

/** A call that waits, and its approval. */
async function pending(ground: Ground, mark: string): Promise<Approval> {
  const code = await call(ground, mark);
  ground.held(code === 'APPROVAL_PENDING', `a destructive call was not held: ${code}`);
  const { approvals } = await ground.proxy.rest.request('listApprovals', { status: 'pending', limit: 100 });
  return approvals.find(({ arguments: args }) => (args as { text: string }).text === mark)!;
}

const decide = ({ proxy }: Ground, id: string, body: DecisionBody): Promise<string> =>
  proxy.rest.request('decideApproval', { id, body }).then(
    () => 'done',
    (error: unknown) => (error as { code: string }).code,
  );

async function neverRuns(ground: Ground, mark: string, how: string): Promise<void> {
  const code = await call(ground, mark);
  ground.held(code !== 'ran' && ground.log.runsOf(mark) === 0, `${how}: ${code}`);
}

async function approvedBySql(ground: Ground): Promise<void> {
  const { db } = ground;
  const decided = `status = 'approved', decided_by = 'operator', decided_ms = 1, decided_from = 'cli', expires_ms = 99999999999999`;
  const bySql = await pending(ground, 'approved by SQL');
  await db.run(`UPDATE approvals SET ${decided} WHERE id = '${bySql.id}'`);
  await neverRuns(ground, 'approved by SQL', 'approved in the database, it ran');
  await recorded(ground, bySql.id);

  const honest = await pending(ground, 'approved by a person');
  await decide(ground, honest.id, { decision: 'approve' });
  const copied = await pending(ground, 'with a copied seal');
  await db.run(
    `UPDATE approvals SET ${decided}, seal = (SELECT seal FROM approvals WHERE id = '${honest.id}') WHERE id = '${copied.id}'`,
  );
  await neverRuns(ground, 'with a copied seal', 'approved with the seal of another, it ran');
  await recorded(ground, copied.id);

  const swapped = await pending(ground, 'with a swapped digest');
  await db.run(`UPDATE approvals SET status = 'denied' WHERE id = '${swapped.id}'`);
  await db.run(`UPDATE approvals SET digest = '${swapped.digest}' WHERE id = '${honest.id}'`);
  await db.run(`DELETE FROM approvals WHERE id = '${swapped.id}'`);
  await neverRuns(ground, 'with a swapped digest', 'an approval of another call was used');
  await recorded(ground, honest.id);
}

/** An approval is used once, also when its row is put back to what it was before. */
async function usedApproval(ground: Ground): Promise<void> {
  const { db, held, log } = ground;
  const mark = 'used once';
  const { id } = await pending(ground, mark);
  await decide(ground, id, { decision: 'approve' });
  const [approved] = await db.rows(`SELECT * FROM approvals WHERE id = '${id}'`);
  held((await call(ground, mark)) === 'ran' && log.runsOf(mark) === 1, 'an approved call did not run');
  await db.putBack('approvals', approved!);
  await call(ground, mark);
  held(log.runsOf(mark) === 1, `a used approval was used again: ran ${log.runsOf(mark)} times`);
  await recorded(ground, id, 'older');
  await ground.restart(() => db.putBack('approvals', approved!));
  await call(ground, mark);
  held(
    log.runsOf(mark) === 1,
    `after a restart a used approval was used again: ran ${log.runsOf(mark)} times`,
  );
  await recorded(ground, id, 'older');
}

async function forgedGrants(ground: Ground): Promise<void> {
  const { db, held, log } = ground;
  const asked = await pending(ground, 'with a forged grant');
  await db.run(`INSERT INTO grants (id, server, tool, server_identity, definition_hash, principal, token_id, user_id, client, created_ms,
      created_by, created_from, expires_ms, max_calls, used, seal)
    SELECT '01FORGEDGRANT', server, tool, server_identity, definition_hash, principal, token_id, user_id, NULL, created_ms,
      'operator', 'cli', 99999999999999, NULL, 0, seal FROM approvals WHERE id = '${asked.id}'`);
  await neverRuns(ground, 'with a forged grant', 'an inserted grant was used');
  await recorded(ground, '01FORGEDGRANT');

  const granting = await pending(ground, 'the call that is granted');
  await decide(ground, granting.id, { decision: 'approve', grant: { for: '1h', max_calls: 1 } });
  const [{ grant_id: id }] = (await db.rows(
    `SELECT grant_id FROM approvals WHERE id = '${granting.id}'`,
  )) as [{ grant_id: string }];
  const [unused] = await db.rows(`SELECT * FROM grants WHERE id = '${id}'`);
  held((await call(ground, 'by the grant')) === 'ran', 'an honest grant does not work');
  await db.putBack('grants', unused!);
  await neverRuns(ground, 'by a grant that was put back', 'a grant that was used up was used again');
  await recorded(ground, id, 'older');
  await ground.restart(() => db.putBack('grants', unused!));
  await neverRuns(ground, 'by it after a restart', 'after a restart a grant that was used up was used again');
  await db.run(`UPDATE grants SET used = 0, max_calls = NULL, revoked_ms = NULL WHERE id = '${id}'`);
  await neverRuns(ground, 'by a grant without a limit', 'a changed grant was used');
  held(log.runsOf('by the grant') === 1, 'a granted call ran more than once');
}

/** What a person is shown is what was asked. */
async function otherCallShown(ground: Ground): Promise<void> {
  const { id } = await pending(ground, 'something terrible');
  await ground.db.run(
    `UPDATE approvals SET shown = replace(shown, 'something terrible', 'something harmless') WHERE id = '${id}'`,
  );
  const said = await decide(ground, id, { decision: 'approve' });
  ground.held(said === 'ROW_CHANGED', `a call that was shown as another one was approved: ${said}`);
  await neverRuns(ground, 'something terrible', 'a call that was shown as another one ran');
  await recorded(ground, id);
}

async function forgedVerdict(ground: Ground): Promise<void> {
  const { db, held, log } = ground;
  await ground.restart(() =>
    db.run(
      `UPDATE known_tools SET operator_operation = 'read', operator_by = 'operator', operator_at = '2026-01-01T00:00:00.000Z' WHERE tool = 'destructive'`,
    ),
  );
  await recorded(ground, 'up:destructive');
  const body = {
    tool_variant: 'call_tool_read' as const,
    name: 'up:destructive',
    args: { text: 'as a read' },
    intent: { operation_type: 'read' },
  };
  const code = await ground.proxy.rest.request('callTool', { body }).then(
    () => 'ran',
    (error: unknown) => (error as { code: string }).code,
  );
  held(code === 'TOOL_WITHHELD' && log.runsOf('as a read') === 0, `a forged verdict was used: ${code}`);
  await ground.restart();
  held(
    (await call(ground, 'after it')) === 'TOOL_WITHHELD',
    'a tool with a forged row is offered after a restart',
  );
  await ground.proxy.rest.request('approveTool', { name: 'up:destructive' });
  held((await call(ground, 'after it')) === 'APPROVAL_PENDING', 'an accepted tool is not back');
}

/** No seals at all, as before the upgrade: they are not made again. */
async function noSeals(ground: Ground): Promise<void> {
  const { db, held } = ground;
  const { token } = await ground.proxy.rest.request('createToken', { body: { name: 'last' } });
  const { dataDir } = ground.proxy;
  const clear = async () => {
    for (const table of ['tokens', 'approvals', 'grants', 'known_tools'])
      await db.run(`UPDATE ${table} SET seal = NULL`);
    await db.run('UPDATE row_key SET key_id = NULL');
  };
  await ground.restart(clear);
  held((await statusOf(ground, token)) === 401, 'a token without a seal is accepted');
  await ground.restart(() => rmSync(join(dataDir, 'row-key-used')));
  held((await statusOf(ground, token)) === 401, 'without the marker a token without a seal is accepted');
  const status = await ground.proxy.rest.request('status', {});
  held((status.changed_rows ?? 0) > 0, 'the status does not show rows that were changed');

  await ground.proxy.stop();
  rmSync(join(dataDir, 'row-key'));
  const started = await ground.restart().then(
    () => 'started',
    (error: unknown) => String(error),
  );
  held(started.includes('Copy the file row-key'), `without its key it started: ${started.slice(0, 200)}`);
}
