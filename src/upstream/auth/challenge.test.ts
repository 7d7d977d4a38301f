import { expect, test } from 'vitest';
import { readChallenge } from './challenge.ts';

const METADATA = 'https://mcp.example.com/.well-known/oauth-protected-resource';

test.each<[number, string | undefined, unknown]>([
  [200, 'Bearer', undefined],
  [403, 'Bearer', undefined],
  [403, 'Bearer error="invalid_token"', undefined],
  [401, undefined, { status: 401, isKnown: false }],
  [401, 'Basic realm="x"', { status: 401, isKnown: false }],
  [401, 'Bearer', { status: 401, isKnown: true }],
  [401, 'bearer scope=a', { status: 401, isKnown: true, scopes: ['a'] }],
  [
    401,
    `Bearer resource_metadata="${METADATA}", scope="a b a"`,
    { status: 401, isKnown: true, metadataUrl: METADATA, scopes: ['a', 'b'] },
  ],
  [
    401,
    `Basic realm="x", Bearer resource_metadata="${METADATA}"`,
    { status: 401, isKnown: true, metadataUrl: METADATA },
  ],
  [403, 'Bearer error="insufficient_scope", scope="c"', { status: 403, isKnown: true, scopes: ['c'] }],
  [
    401,
    'Bearer resource_metadata="no address", scope="\u001b[31m ok"',
    { status: 401, isKnown: true, scopes: ['[31m', 'ok'] },
  ],
])('%i with %s', (status, header, challenge) => {
  expect(readChallenge(status, header)).toEqual(challenge);
});

test('a header of any length costs little, and the number of scopes is bounded', () => {
  const many = Array.from({ length: 100_000 }, (_, index) => `s${index}`).join(' ');
  expect(readChallenge(401, `Bearer scope="${many}"`)?.scopes ?? []).not.toHaveLength(100_000);
});
