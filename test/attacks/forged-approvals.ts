import { call, decide, neverRuns, pending, recorded, type Ground } from './forged-ground.ts';

export async function approvedBySql(ground: Ground): Promise<void> {
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
export async function usedApproval(ground: Ground): Promise<void> {
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
  ground.afterRestart(
    () => db.putBack('approvals', approved!),
    async () => {
      await call(ground, mark);
      held(
        log.runsOf(mark) === 1,
        `after a restart a used approval was used again: ran ${log.runsOf(mark)} times`,
      );
      await recorded(ground, id, 'older');
    },
  );
}

export async function forgedGrants(ground: Ground): Promise<void> {
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
  ground.afterRestart(
    () => db.putBack('grants', unused!),
    async () => {
      await neverRuns(
        ground,
        'by it after a restart',
        'after a restart a grant that was used up was used again',
      );
      await db.run(`UPDATE grants SET used = 0, max_calls = NULL, revoked_ms = NULL WHERE id = '${id}'`);
      await neverRuns(ground, 'by a grant without a limit', 'a changed grant was used');
      held(log.runsOf('by the grant') === 1, 'a granted call ran more than once');
    },
  );
}

/** What a person is shown is what was asked. */
export async function otherCallShown(ground: Ground): Promise<void> {
  const { id } = await pending(ground, 'something terrible');
  await ground.db.run(
    `UPDATE approvals SET shown = replace(shown, 'something terrible', 'something harmless') WHERE id = '${id}'`,
  );
  const said = await decide(ground, id, { decision: 'approve' });
  ground.held(said === 'ROW_CHANGED', `a call that was shown as another one was approved: ${said}`);
  await neverRuns(ground, 'something terrible', 'a call that was shown as another one ran');
  await recorded(ground, id);
}
