import { afterEach, beforeEach, expect, test } from 'vitest';
import { literalActivity, type Recorded } from '../../../../test/fixtures/mcp-harness.ts';
import { get, sendRaw, silent, startHttp, type Running } from '../../../../test/fixtures/http-server.ts';
import type { Identity } from '../../../contract/call.ts';
import { createBadRequests, type BadRequests } from '../../../log/record/bad-requests.ts';
import { newSecret } from '../../../token/secret.ts';
import type { TokenLookup } from '../../../token/token-index.ts';

const PER_MINUTE = 100;
const identityOf = (name: string): Identity => ({
  principal: `token:${name}`,
  userId: 'ann',
  token: { id: `id-${name}`, name, scope: { operations: ['read'] } },
});
const [a, b] = [newSecret(), newSecret()];
const known = new Map<string, TokenLookup>([
  [a, { state: 'active', identity: identityOf('a') }],
  [b, { state: 'active', identity: identityOf('b') }],
]);

let http: Running;
let records: Recorded[];
let denials: BadRequests;
beforeEach(async () => {
  const literal = literalActivity();
  records = literal.records;
  const clock = { now: () => 0 };
  denials = createBadRequests({ activity: literal.activity, log: silent, clock, perMinute: PER_MINUTE });
  http = await startHttp({
    tokens: { find: (secret) => known.get(secret) ?? { state: 'unknown' } },
    badRequests: denials,
  });
});
afterEach(() => http.close());

const bearer = (token: string) => [`Authorization: Bearer ${token}`];
async function times(count: number, path: string, token: string): Promise<void> {
  for (let i = 0; i < count; i++) await get(http.port, path, bearer(token));
}
const approve = (token: string, id: string) =>
  sendRaw(
    http.port,
    [
      `POST /api/v1/approvals/${id} HTTP/1.1`,
      `Host: 127.0.0.1:${http.port}`,
      ...bearer(token),
      'Content-Type: application/json',
      'Content-Length: 22',
      'Connection: close',
    ],
    '{"decision":"approve"}',
  );
const ofPrincipal = (principal: string) =>
  records.filter(({ metadata }) => metadata?.principal === principal);
const requests = (list: Recorded[]) =>
  list.reduce((sum, { metadata }) => sum + Number(metadata?.left_out ?? 1), 0);

test('a flood of wrong keys hides no attempt of a token', async () => {
  await times(PER_MINUTE + 5, '/api/v1/servers', 'wrong-key-0123456789');
  expect((await approve(a, 'X1')).status).toBe(403);
  await times(1, '/api/v1/servers', b);
  expect(ofPrincipal('token:a')).toMatchObject([
    {
      error_code: 'TOKEN_NOT_ALLOWED',
      arguments: { excerpt: 'POST /api/v1/approvals/X1' },
      metadata: { token_id: 'id-a' },
    },
  ]);
  expect(ofPrincipal('token:b')).toMatchObject([{ arguments: { excerpt: 'GET /api/v1/servers' } }]);
});

test('a flood of one token hides neither its own attempts to approve nor those of others', async () => {
  await times(PER_MINUTE + 10, '/api/v1/servers', a);
  await approve(a, 'X2');
  await times(1, '/api/v1/approvals', a);
  await approve(b, 'X3');
  await times(1, '/api/v1/servers', 'wrong-key-0123456789');
  expect(records.slice(PER_MINUTE)).toMatchObject([
    { arguments: { excerpt: 'POST /api/v1/approvals/X2' }, metadata: { principal: 'token:a' } },
    { arguments: { excerpt: 'GET /api/v1/approvals' }, metadata: { principal: 'token:a' } },
    { arguments: { excerpt: 'POST /api/v1/approvals/X3' }, metadata: { principal: 'token:b' } },
    { error_code: 'UNAUTHORIZED', metadata: { principal: 'unknown', client_address: '127.0.0.1' } },
  ]);
});

test('every attempt of a token to approve has a record of its own, however many there are', async () => {
  const ids = Array.from({ length: 2 * PER_MINUTE }, (_, i) => `Y${i}`);
  for (const id of ids) await approve(a, id);
  expect(ofPrincipal('token:a').map((each) => (each.arguments as { excerpt: string }).excerpt)).toEqual(
    ids.map((id) => `POST /api/v1/approvals/${id}`),
  );
});

test('what was left out is said by caller and code, and adds up', async () => {
  await times(PER_MINUTE + 7, '/api/v1/servers', a);
  await times(PER_MINUTE + 5, '/api/v1/servers', 'wrong-key-0123456789');
  denials.flush(true);
  expect(requests(ofPrincipal('token:a'))).toBe(PER_MINUTE + 7);
  expect(requests(ofPrincipal('unknown'))).toBe(PER_MINUTE + 5);
  expect(records.filter(({ metadata }) => metadata?.left_out !== undefined)).toMatchObject([
    {
      error_code: 'TOKEN_NOT_ALLOWED',
      arguments: { excerpt: 'GET /api/v1/servers' },
      metadata: { principal: 'token:a', token_id: 'id-a', left_out: 7 },
    },
    {
      error_code: 'TOO_MANY_REQUESTS',
      metadata: { principal: 'unknown', client_address: '127.0.0.1', left_out: 5 },
    },
  ]);
});
