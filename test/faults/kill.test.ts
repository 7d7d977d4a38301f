import { expect, test } from 'vitest';
import { newPostgres } from '../fixtures/engines.ts';
import { killCycles } from './kill-cycles.ts';

test('killed ten times under load: nothing acknowledged is lost, nothing that ran is without a record, none runs twice', async () => {
  const result = await killCycles(10);
  expect(result).toMatchObject({ lost: [], traceless: [], twice: [], verdict: 'intact' });
  expect(result.acknowledged).toBeGreaterThan(10);
  console.log(
    `${result.acknowledged} acknowledged, ${result.executed} executed, ${result.unknown} of unknown outcome, ready after ${Math.max(...result.readyMs)} ms at most`,
  );
});

test('the same with the log on PostgreSQL', async () => {
  const { url, remove } = await newPostgres();
  const result = await killCycles(4, { database_url: url });
  expect(result).toMatchObject({ lost: [], traceless: [], twice: [], verdict: 'intact' });
  expect(result.acknowledged).toBeGreaterThan(4);
  await remove();
});
