import { expect, test } from 'vitest';
import { checkHistory } from './check-history.ts';
import type { FoundLog, History, SeenCall } from './history.ts';

const call = (nonce: string, outcome: SeenCall['outcome'], more: Partial<SeenCall> = {}): SeenCall => ({
  nonce,
  tool: 'put',
  client: 'a',
  started: 10,
  ended: 20,
  outcome,
  said: '',
  ...more,
});
const run = (nonce: string, tool: SeenCall['tool'] = 'put', at = 15) => ({ nonce, tool, at });
const empty: History = { calls: [], runs: [], approvals: [], policies: [] };
const found = (nonces: string[], more: Partial<FoundLog> = {}): FoundLog => ({
  records: new Map(nonces.map((nonce) => [nonce, ['success']])),
  problem: undefined,
  missing: undefined,
  ...more,
});

type Case = readonly [name: string, history: Partial<History>, log: FoundLog, breach: RegExp | undefined];

const CASES: readonly Case[] = [
  ['all is well', { calls: [call('1', 'done')], runs: [run('1')] }, found(['1']), undefined],
  ['an acknowledged call did not run', { calls: [call('1', 'done')] }, found(['1']), /never ran/],
  [
    'a refused call ran',
    { calls: [call('1', 'refused')], runs: [run('1')] },
    found(['1']),
    /says that it did not/,
  ],
  [
    'a call ran twice',
    { calls: [call('1', 'unclear')], runs: [run('1'), run('1')] },
    found(['1']),
    /ran 2 times/,
  ],
  [
    'an approval was used twice',
    {
      calls: [call('1', 'done', { tool: 'wipe' })],
      runs: [run('1', 'wipe'), run('1', 'wipe')],
      approvals: [
        { nonce: '1', id: 'x' },
        { nonce: '1', id: 'x' },
      ],
    },
    found(['1']),
    /ran 2 times, permitted 1/,
  ],
  [
    'a call passed a policy',
    {
      calls: [call('1', 'done', { tool: 'log' })],
      runs: [run('1', 'log')],
      policies: [{ tool: 'log', acknowledged: 5, ended: 30 }],
    },
    found(['1']),
    /5 ms after it was forbidden/,
  ],
  [
    'a call began before the policy',
    {
      calls: [call('1', 'done', { tool: 'log' })],
      runs: [run('1', 'log')],
      policies: [{ tool: 'log', acknowledged: 12, ended: 30 }],
    },
    found(['1']),
    undefined,
  ],
  [
    'a record is lost',
    { calls: [call('1', 'done')], runs: [run('1')] },
    found([]),
    /no record, and nobody says so/,
  ],
  [
    'a record is lost, and the proxies say so',
    { calls: [call('1', 'done')], runs: [run('1')] },
    found([], { missing: '1 entry', problem: { reason: 'truncated', message: '' } }),
    undefined,
  ],
  [
    'a call ran without a record',
    { calls: [call('1', 'unclear')], runs: [run('1')] },
    found([]),
    /without a record/,
  ],
  [
    'a read whose answer was lost ran without a record',
    { calls: [call('1', 'unclear', { tool: 'get' })], runs: [run('1', 'get')] },
    found([]),
    undefined,
  ],
  [
    'the chain is broken, and entries are missing',
    {},
    found([], { missing: '1 entry', problem: { reason: 'hash', message: '' } }),
    /does not verify: hash/,
  ],
];

test.each(CASES)('%s', (...[, history, log, breach]) => {
  const breaches = checkHistory({ ...empty, ...history }, log);
  if (breach) expect(breaches.join('\n')).toMatch(breach);
  else expect(breaches).toEqual([]);
});
