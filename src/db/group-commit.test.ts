import { describe, expect, test } from 'vitest';
import { createGroupCommit } from './group-commit.ts';

describe('group commit', () => {
  test('everything queued in one turn of the event loop shares a transaction', async () => {
    const committed: number[][] = [];
    const queue = createGroupCommit<number>({ commit: (ops) => void committed.push([...ops]) });
    await Promise.all([queue.add(1), queue.add(2), queue.add(3)]);
    await queue.add(4);
    expect(committed).toEqual([[1, 2, 3], [4]]);
  });

  test('what arrives turn by turn is committed together, but is not put off for ever', async () => {
    const committed: number[][] = [];
    const commit = (ops: readonly number[]) => void committed.push([...ops]);
    const queue = createGroupCommit<number>({ commit, gatherMs: 60_000 });
    const told: Array<Promise<void>> = [];
    for (let n = 0; n < 5; n++) {
      told.push(queue.add(n));
      await new Promise(setImmediate);
    }
    await Promise.all(told);
    expect(committed).toEqual([[0, 1, 2, 3, 4]]);

    const hasty = createGroupCommit<number>({ commit, gatherMs: 0 });
    await Promise.all([hasty.add(5), new Promise(setImmediate).then(() => hasty.add(6))]);
    expect(committed.slice(1)).toEqual([[5], [6]]);
  });

  test('a deferred operation is committed after its delay without anybody asking', async () => {
    const committed: number[][] = [];
    const arrived = new Promise<void>((resolve) => {
      const queue = createGroupCommit<number>({
        commit(ops) {
          committed.push([...ops]);
          resolve();
        },
        maxDelayMs: 6,
      });
      queue.defer(1);
    });
    await arrived;
    expect(committed).toEqual([[1]]);
  });

  test('a deferred operation does not ride with the commit of another one, and is committed once when it is hastened', async () => {
    const committed: number[][] = [];
    const queue = createGroupCommit<number>({
      commit: (ops) => void committed.push([...ops]),
      maxDelayMs: 60_000,
    });
    const waiting = queue.defer(1);
    await queue.add(2);
    expect(committed).toEqual([[2]]);
    await Promise.all([queue.hasten(waiting), queue.add(3), queue.hasten(waiting)]);
    await queue.flush();
    expect(committed).toEqual([[2], [1, 3]]);
    await queue.close();
  });

  test.each(['flush', 'close'] as const)('%s waits for what is on its way to the disk', async (how) => {
    let arrived = false;
    const queue = createGroupCommit<number>({
      async commit() {
        await new Promise((resolve) => setTimeout(resolve, 5));
        arrived = true;
      },
    });
    void queue.add(1);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    await queue[how]();
    expect(arrived).toBe(true);
  });

  test('a promise resolves only after its own commit has returned', async () => {
    const log: string[] = [];
    const queue = createGroupCommit<number>({
      async commit(ops) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        log.push(`committed ${ops.join()}`);
      },
    });
    const first = queue.add(1).then(() => log.push('told 1'));
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const second = queue.add(2).then(() => log.push('told 2'));
    await Promise.all([first, second]);
    expect(log).toEqual(['committed 1', 'told 1', 'committed 2', 'told 2']);
  });

  test('a failing transaction rejects all in it and the queue goes on', async () => {
    let broken = true;
    const queue = createGroupCommit<number>({
      commit() {
        if (broken) throw new Error('disk');
      },
    });
    const failed = await Promise.allSettled([queue.add(1), queue.add(2)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    broken = false;
    await expect(queue.add(3)).resolves.toBeUndefined();
  });

  test('a transaction and the queue are bounded', async () => {
    const sizes: number[] = [];
    const queue = createGroupCommit<number>({
      commit: (ops) => void sizes.push(ops.length),
      maxOps: 3,
      maxQueued: 7,
    });
    const all = Array.from({ length: 7 }, (_, index) => queue.add(index));
    await expect(queue.add(7)).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
    await Promise.all(all);
    expect(sizes).toEqual([3, 3, 1]);
  });

  test('flush and close commit what is queued; after close nothing is accepted', async () => {
    const committed: number[] = [];
    const queue = createGroupCommit<number>({
      commit: (ops) => void committed.push(...ops),
      maxDelayMs: 60_000,
    });
    queue.defer(1);
    await queue.flush();
    expect(committed).toEqual([1]);
    queue.defer(2);
    await queue.close();
    expect(committed).toEqual([1, 2]);
    await expect(queue.add(3)).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
    await expect(queue.defer(4).done).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
  });
});
