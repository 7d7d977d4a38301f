import { expect, test } from 'vitest';
import { createLog } from '../lib/log.ts';
import { stopWithin } from './stop-within.ts';

const log = createLog('silent');

test('what stops in time is left alone, what does not is ended', async () => {
  let ended = 0;
  const options = { log, limitMs: 20, exit: () => void ended++ };
  await stopWithin(() => Promise.resolve(), options);
  await new Promise((done) => setTimeout(done, 50));
  expect(ended).toBe(0);
  await stopWithin(() => new Promise((done) => setTimeout(done, 100)), options);
  expect(ended).toBe(1);
});
