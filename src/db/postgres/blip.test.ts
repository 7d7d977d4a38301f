import type pg from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { BLIP_MS, createBlip, repeatReads } from './blip.ts';

const cut = () => Object.assign(new Error('terminating connection'), { code: '57P01' });
const locked = () => Object.assign(new Error('lock timeout'), { code: '55P03' });

describe('the time in which something is tried again', () => {
  let now = 0;
  const clock = () => vi.spyOn(performance, 'now').mockImplementation(() => now);
  afterEach(() => vi.restoreAllMocks());

  test('begins with the first connection that ends, however long it had taken before', () => {
    clock();
    const blip = createBlip();
    now += 10 * BLIP_MS;
    expect(blip.isOver(cut())).toBe(false);
    now += BLIP_MS;
    expect(blip.isOver(cut())).toBe(false);
    now += 1;
    expect(blip.isOver(cut())).toBe(true);
  });

  test('of other failures begins with the statement', () => {
    clock();
    const blip = createBlip();
    expect(blip.isOver(locked())).toBe(false);
    now += BLIP_MS + 1;
    expect(blip.isOver(locked())).toBe(true);
  });
});

describe('statements on a pool', () => {
  /** A pool that fails as often as it is told, and then answers. */
  function failing(failures: Error[]) {
    const asked: unknown[] = [];
    const query = async (text: unknown) => {
      asked.push(text);
      const failure = failures.shift();
      if (failure) throw failure;
      return { rows: [] };
    };
    return { pool: repeatReads({ query } as unknown as pg.Pool), asked };
  }

  test.each([
    ['select 1', cut, 3],
    ['\n  SELECT 1', cut, 3],
    ['UPDATE a SET b = 1', cut, 1],
    ['WITH gone AS (DELETE FROM a RETURNING *) SELECT * FROM gone', cut, 1],
    ['SELECT 1', locked, 1],
  ])('%j', async (text, failure, times) => {
    for (const asking of [text, { text, values: [1] }]) {
      const { pool, asked } = failing([failure(), failure()]);
      const answered = pool.query(asking as string).then(
        () => true,
        () => false,
      );
      expect(await answered).toBe(times === 3);
      expect(asked).toEqual(Array.from({ length: times }, () => asking));
    }
  });
});
