import { expect, test } from 'vitest';
import { attempt } from './attack.ts';
import { judge, type Round } from './beside-texts.ts';

const times = (p99: number) => Array.from({ length: 100 }, (_, n) => (n < 97 ? 4 : p99));
const round = (during: number, control: number, status = 200): Round => ({
  quiet: times(8),
  during: times(during),
  control: times(control),
  sent: [{ status, ms: 1 }],
});

test.each<[string, Round[], string[], boolean]>([
  ['little is added', [round(20, 8), round(27, 8), round(90, 8)], [], false],
  ['too much is added', [round(20, 8), round(29, 8), round(90, 8)], ['1 texts add 21.0 ms'], false],
  ['the machine itself is as slow', [round(40, 40)], [], true],
  ['the other server fails', [round(Infinity, 8)], ['calls of another server failed'], false],
  ['it breaks', [round(8, 8, 500)], ['something broke inside'], false],
])('the row tells when %s', async (...[, rounds, breaches, isElsewhere]) => {
  const result = await attempt(
    { threat: 'T', title: 't', run: async (tally) => judge(tally, 'texts', rounds) },
    'full',
  );
  const told = result.breaches.map((text) => text.replace(/^\d+ texts/, '1 texts'));
  for (const breach of breaches) expect(told.some((text) => text.startsWith(breach))).toBe(true);
  expect(told.length > 0).toBe(breaches.length > 0);
  expect(result.notHere !== undefined).toBe(isElsewhere);
});
