import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { call, readCall, recorded, statusOf, type Ground } from './forged-ground.ts';

export async function forgedVerdict(ground: Ground): Promise<void> {
  const { db, held, log } = ground;
  const forge = () =>
    db.run(
      `UPDATE known_tools SET operator_operation = 'read', operator_by = 'operator', operator_at = '2026-01-01T00:00:00.000Z' WHERE tool = 'destructive'`,
    );
  ground.afterRestart(forge, async () => {
    await recorded(ground, 'up:destructive');
    const code = await readCall(ground, 'up:destructive', 'as a read');
    held(code === 'TOOL_WITHHELD' && log.runsOf('as a read') === 0, `a forged verdict was used: ${code}`);
    ground.afterRestart(
      () => {},
      async () => {
        const after = await call(ground, 'after it');
        held(after === 'TOOL_WITHHELD', 'a tool with a forged row is offered after a restart');
        await ground.proxy.rest.request('approveTool', { name: 'up:destructive' });
        held((await call(ground, 'after it')) === 'APPROVAL_PENDING', 'an accepted tool is not back');
      },
    );
  });
}

/** Without its row a tool that the operator calls destructive would be held to its own hints. */
export async function deletedVerdict(ground: Ground): Promise<void> {
  const { db, held, log } = ground;
  await ground.proxy.rest.request('setOperation', {
    name: 'up:read_only',
    body: { operation: 'destructive' },
  });
  const deleteRow = () => db.run(`DELETE FROM known_tools WHERE tool = 'read_only'`);
  const isWithheld = async () => {
    const code = await readCall(ground, 'up:read_only', 'without its verdict');
    held(
      code === 'TOOL_WITHHELD' && log.runsOf('without its verdict') === 0,
      `a tool whose verdict was deleted is offered: ${code}`,
    );
  };
  ground.afterRestart(deleteRow, async () => {
    await isWithheld();
    await recorded(ground, 'up:read_only', 'deleted');
    ground.afterRestart(() => {}, isWithheld);
  });
}

/** No seals at all, as before the upgrade: they are not made again. */
export async function noSeals(ground: Ground): Promise<void> {
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
