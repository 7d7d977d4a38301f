import { expect, test } from 'vitest';
import { needsOwnConnection } from './choose-connection.ts';

const SERVER = { config: {}, isBuiltin: false, isModern: false, asks: true, hasLogLevels: true };
const ABLE = { key: 'a', isExclusive: false, capabilities: { roots: {} } };
const SILENT = { ...ABLE, capabilities: {} };

test.each<[string, Partial<typeof SERVER> & { config?: object }, object, boolean]>([
  ['a server that asks, and a client that can answer', {}, ABLE, true],
  ['a server that never asked', { asks: false }, ABLE, false],
  ['a client that cannot answer', {}, SILENT, false],
  ['a client whose only feature is denied', { config: { client_features: { roots: 'deny' } } }, ABLE, false],
  ['a client that has set a log level', { asks: false }, { ...SILENT, logLevel: 'info' }, true],
  [
    'a log level for a server without log messages',
    { asks: false, hasLogLevels: false },
    { ...SILENT, logLevel: 'info' },
    false,
  ],
  ['a server since 2026-07-28', { isModern: true }, ABLE, false],
  [
    'the same where the operator wants one per client',
    { isModern: true, config: { sharing: 'per_client' } },
    SILENT,
    true,
  ],
  ['a server that all share', { config: { sharing: 'shared' } }, ABLE, false],
  ['a built-in server', { isBuiltin: true, config: { sharing: 'per_client' } }, ABLE, false],
])('%s', (...[, server, session, isOwn]) => {
  expect(needsOwnConnection({ ...SERVER, ...server }, session as typeof ABLE)).toBe(isOwn);
});
