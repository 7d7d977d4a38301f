import { describe, expect, test } from 'vitest';
import { createGroupCommit } from './group-commit.ts';

describe('group commit', () => {
  test('everything queued in one turn of the event loop shares a transaction', async () => {
    const committed: number[][] = [];
    const queue = createGroupCommit<number>({ commit: (ops) => void committed.push([...ops]) });
    await Promise.all([queue.add(1, 'now'), queue.add(2, 'soon'), queue.add(3, 'now')]);
    await queue.add(4, 'now');
    expect(committed).toEqual([[1, 2, 3], [4]]);
  });

  test('what arrives turn by turn is committed together, but is not put off for ever', async () => {
    const committed: number[][] = [];
    const commit = (ops: readonly number[]) => void committed.push([...ops]);
    const queue = createGroupCommit<number>({ commit, gatherMs: 60_000 });
    const told: Array<Promise<void>> = [];
    for (let n = 0; n < 5; n++) {
      told.push(queue.add(n, 'now'));
      await new Promise(setImmediate);
    }
    await Promise.all(told);
    expect(committed).toEqual([[0, 1, 2, 3, 4]]);

    const hasty = createGroupCommit<number>({ commit, gatherMs: 0 });
    await Promise.all([hasty.add(5, 'now'), new Promise(setImmediate).then(() => hasty.add(6, 'now'))]);
    expect(committed.slice(1)).toEqual([[5], [6]]);
  });

  test('a relaxed operation is committed without anybody asking, and earlier when an urgent one comes', async () => {
    const committed: number[][] = [];
    const queue = createGroupCommit<number>({
      commit: (ops) => void committed.push([...ops]),
      maxDelayMs: 5,
    });
    await queue.add(1, 'soon');
    expect(committed).toEqual([[1]]);

    const slow = createGroupCommit<number>({
      commit: (ops) => void committed.push([...ops]),
      maxDelayMs: 60_000,
    });
    const relaxed = slow.add(2, 'soon');
    await Promise.all([slow.add(3, 'now'), relaxed]);
    expect(committed.at(-1)).toEqual([2, 3]);
  });

  test.each(['flush', 'close'] as const)('%s waits for what is on its way to the disk', async (how) => {
    let arrived = false;
    const queue = createGroupCommit<number>({
      async commit() {
        await new Promise((resolve) => setTimeout(resolve, 5));
        arrived = true;
      },
    });
    void queue.add(1, 'now');
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
    const first = queue.add(1, 'now').then(() => log.push('told 1'));
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const second = queue.add(2, 'now').then(() => log.push('told 2'));
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
    const failed = await Promise.allSettled([queue.add(1, 'now'), queue.add(2, 'soon')]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    broken = false;
    await expect(queue.add(3, 'now')).resolves.toBeUndefined();
  });

  test('a transaction and the queue are bounded', async () => {
    const sizes: number[] = [];
    const queue = createGroupCommit<number>({
      commit: (ops) => void sizes.push(ops.length),
      maxOps: 3,
      maxQueued: 7,
    });
    const all = Array.from({ length: 7 }, (_, index) => queue.add(index, 'now'));
    await expect(queue.add(7, 'now')).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
    await Promise.all(all);
    expect(sizes).toEqual([3, 3, 1]);
  });

  test('flush and close commit what is queued; after close nothing is accepted', async () => {
    const committed: number[] = [];
    const queue = createGroupCommit<number>({
      commit: (ops) => void committed.push(...ops),
      maxDelayMs: 60_000,
    });
    void queue.add(1, 'soon');
    await queue.flush();
    expect(committed).toEqual([1]);
    void queue.add(2, 'soon');
    await queue.close();
    expect(committed).toEqual([1, 2]);
    await expect(queue.add(3, 'now')).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
  });
});
