import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createClientAddress } from './address.ts';

const TRUSTED = ['127.0.0.1', '10.0.0.0/8', '2001:db8:1::/48'];

function addressOf(
  remoteAddress: string | undefined,
  headers: Record<string, string>,
  trusted = TRUSTED,
): string {
  return createClientAddress(() => trusted)({
    socket: { remoteAddress },
    headers,
  } as unknown as IncomingMessage);
}

test.each([
  ['an untrusted peer', '192.0.2.9', '203.0.113.5'],
  ['an untrusted peer over IPv6', '2001:db8:2::1', '203.0.113.5'],
  ['an untrusted peer that claims to be a proxy', '192.0.2.9', '203.0.113.5, 127.0.0.1'],
])('X-Forwarded-For from %s is ignored', (_case, remote, header) => {
  expect(addressOf(remote, { 'x-forwarded-for': header })).toBe(remote);
  expect(addressOf(remote, { forwarded: `for=${header}` })).toBe(remote);
});

test('without a trusted proxy the address of the connection counts, whatever a header says', () => {
  expect(addressOf('127.0.0.1', { 'x-forwarded-for': '203.0.113.5' }, [])).toBe('127.0.0.1');
  expect(addressOf('::ffff:127.0.0.1', {}, [])).toBe('127.0.0.1');
  expect(addressOf(undefined, { 'x-forwarded-for': '203.0.113.5' })).toBe('');
});

test.each([
  ['one address', '203.0.113.5', '203.0.113.5'],
  ['what the client wrote before it does not count', '198.51.100.1, 203.0.113.5', '203.0.113.5'],
  ['several trusted proxies', '198.51.100.1, 203.0.113.5, 10.1.2.3,  10.0.0.1', '203.0.113.5'],
  ['a client among the trusted addresses', '10.9.9.9, 10.0.0.1', '10.9.9.9'],
  ['IPv6', '2001:db8:9::7', '2001:db8:9::7'],
  ['IPv6 in brackets with a port', '[2001:db8:9::7]:4711', '2001:db8:9::7'],
  ['IPv4 with a port', '203.0.113.5:4711', '203.0.113.5'],
  ['IPv4 written as IPv6', '::ffff:203.0.113.5', '203.0.113.5'],
  ['garbage', 'unknown', '127.0.0.1'],
  ['garbage behind an address', '203.0.113.5, <script>', '127.0.0.1'],
  ['nothing', '', '127.0.0.1'],
  ['only commas', ',,,', '127.0.0.1'],
  ['control characters', '203.0.113.5\u001b[31m', '127.0.0.1'],
  ['a name', 'localhost', '127.0.0.1'],
  ['an address with leading zeros', '010.000.000.001', '127.0.0.1'],
  ['thousands of trusted addresses', Array(5000).fill('10.0.0.1').join(), '10.0.0.1'],
])('a trusted proxy names the client in X-Forwarded-For: %s', (_case, header, wanted) => {
  expect(addressOf('127.0.0.1', { 'x-forwarded-for': header })).toBe(wanted);
  expect(addressOf('::ffff:127.0.0.1', { 'x-forwarded-for': header })).toBe(wanted);
});

test('the header Forwarded is not read: a proxy that sets only the other would pass on what a client wrote', () => {
  expect(addressOf('127.0.0.1', { forwarded: 'for=203.0.113.5' })).toBe('127.0.0.1');
});

test('a changed list of proxies counts at once', () => {
  let trusted: string[] = [];
  const address = createClientAddress(() => trusted);
  const req = { socket: { remoteAddress: '127.0.0.1' }, headers: { 'x-forwarded-for': '203.0.113.5' } };
  expect(address(req as unknown as IncomingMessage)).toBe('127.0.0.1');
  trusted = ['127.0.0.1'];
  expect(address(req as unknown as IncomingMessage)).toBe('203.0.113.5');
});
