import { expect, test } from 'vitest';
import { unavailable as postgresUnavailable } from '../db/postgres/errors.ts';
import { breakerOpen, notAnswered, unavailable } from '../upstream/dispatch/failures.ts';
import { LaneError } from '../upstream/transport/lane.ts';
import { ProxyError, errorForAgent } from './errors.ts';

const SAID = 'exited with code 1: FATAL password=hunter2 at /srv/secret/app.js';
const CALL = { server: 'up', tool: 'read' };
const CONDITION = { state: 'failed', lastError: SAID };
const LOST = { state: 'failed', reason: SAID };

test.each([
  ['not connected', unavailable(CALL, CONDITION)],
  ['its breaker is open', breakerOpen(CALL, 1_000, SAID)],
  ['it ended during the call', notAnswered(CALL, new LaneError('lost', SAID), LOST)],
  ['it could not be sent', notAnswered(CALL, new LaneError('unsent', SAID), LOST)],
])('an agent is not told what a server wrote to its stderr: %s', (_when, error) => {
  expect(JSON.stringify(error.toBody())).toContain('hunter2');
  const told = errorForAgent(error);
  expect(JSON.stringify(told.toBody())).not.toMatch(/hunter2|secret|exited/);
  expect([told.code, told.details.server]).toEqual([error.code, 'up']);
  expect(told.message).toContain("'up'");
});

test.each([
  new ProxyError('AUDIT_UNAVAILABLE', 'cannot be written; check /srv/secret/log.db', {
    file: '/srv/secret/log.db',
  }),
  new ProxyError('RAN_UNRECORDED', 'held back: check /srv/secret/log.db', { executed: true }),
  new ProxyError('DATABASE_UNAVAILABLE', 'check /srv/secret/log.db', { file: '/srv/secret/log.db' }),
  postgresUnavailable(
    'postgres://app@secret.internal:5432/log',
    new Error('connect ECONNREFUSED 10.0.0.7:5432'),
  ),
])('an agent is not told where the database is: $message', (error) => {
  const told = errorForAgent(error);
  expect(JSON.stringify(told.toBody())).not.toMatch(/secret|10\.0\.0\.7|5432/);
  expect(told.message.includes('has run')).toBe(error.details.executed === true);
});

test('other errors are the same for everybody', () => {
  const error = new ProxyError('APPROVAL_DENIED', 'denied: too risky', { reason: 'too risky' });
  expect(errorForAgent(error)).toBe(error);
});
