import { expect, test } from 'vitest';
import { chooseConnection, type Choice } from './leases.ts';

const SERVER = {
  config: {},
  isBuiltin: false,
  isModern: false,
  asks: true as boolean | undefined,
  hasLogLevels: true,
};
const ABLE = { key: 'a', isExclusive: false, capabilities: { roots: {} } };
const SILENT = { ...ABLE, capabilities: {} };

test.each<[string, Partial<typeof SERVER> & { config?: object }, object, Choice]>([
  ['a server that asks, and a client that can answer', {}, ABLE, 'own'],
  ['a server that does not ask', { asks: false }, ABLE, 'shared'],
  ['a client that cannot answer', {}, SILENT, 'shared'],
  [
    'a client whose only feature is denied',
    { config: { client_features: { roots: 'deny' } } },
    ABLE,
    'shared',
  ],
  ['a client that has set a log level', { asks: false }, { ...SILENT, logLevel: 'info' }, 'own'],
  [
    'a log level for a server without log messages',
    { asks: false, hasLogLevels: false },
    { ...SILENT, logLevel: 'info' },
    'shared',
  ],
  ['a server since 2026-07-28', { isModern: true }, ABLE, 'shared'],
  [
    'the same where the operator wants one per client',
    { isModern: true, config: { sharing: 'per_client' } },
    SILENT,
    'own',
  ],
  ['a server that all share', { config: { sharing: 'shared' } }, ABLE, 'shared'],
  ['a built-in server', { isBuiltin: true, config: { sharing: 'per_client' } }, ABLE, 'shared'],
])('%s', (...[, server, session, choice]) => {
  const connections = {
    own: { has: () => false },
    shared: { isClaimed: true, hasServedOthers: () => true },
  };
  expect(chooseConnection({ ...SERVER, ...server }, session as typeof ABLE, connections)).toBe(choice);
});

test.each<[string, object, { isClaimed: boolean; hasServedOthers: boolean }, Choice]>([
  ['the first client', ABLE, { isClaimed: false, hasServedOthers: false }, 'claimed'],
  ['the same client again', ABLE, { isClaimed: true, hasServedOthers: false }, 'claimed'],
  ['a second client', ABLE, { isClaimed: true, hasServedOthers: true }, 'preferably own'],
  [
    'a client after one that cannot answer',
    ABLE,
    { isClaimed: false, hasServedOthers: true },
    'preferably own',
  ],
  [
    'one that cannot answer, beside one that can',
    SILENT,
    { isClaimed: true, hasServedOthers: true },
    'preferably own',
  ],
  ['only clients that cannot answer', SILENT, { isClaimed: false, hasServedOthers: true }, 'shared'],
])('while it is not known whether the server asks: %s', (...[, session, facts, choice]) => {
  const { isClaimed, hasServedOthers } = facts;
  const connections = {
    own: { has: () => false },
    shared: { isClaimed, hasServedOthers: () => hasServedOthers },
  };
  expect(chooseConnection({ ...SERVER, asks: undefined }, session as typeof ABLE, connections)).toBe(choice);
});

test('a client that has a connection of its own keeps it', () => {
  const connections = {
    own: { has: () => true },
    shared: { isClaimed: false, hasServedOthers: () => false },
  };
  for (const asks of [undefined, false])
    expect(chooseConnection({ ...SERVER, asks }, ABLE, connections)).toBe('preferably own');
});
