import { expect, test } from 'vitest';
import { parseAddress } from './address.ts';
import { displayUrl } from './connection.ts';

const of = (more: string, hosts = 'db:5432') => `postgres://me:p%40ss@${hosts}/mcp${more}`;

test('several hosts, and a direct address behind a pooler', () => {
  expect(parseAddress(of('?target_session_attrs=primary', 'a:1,b:2,[::1]:3'))).toMatchObject({
    pooled: ['a:1', 'b:2', '[::1]:3'].map((host) => of('', host)),
    hasDirect: false,
    mustWrite: true,
  });
  expect(parseAddress(of('?direct=x:1,y:2&sslmode=verify-full'))).toMatchObject({
    pooled: [of('?sslmode=verify-full')],
    direct: [of('?sslmode=verify-full', 'x:1'), of('?sslmode=verify-full', 'y:2')],
    hasDirect: true,
  });
  expect(parseAddress(of('?target_session_attrs=any')).mustWrite).toBe(false);
  expect(displayUrl(of('?direct=x:1', 'a:1,b:2'))).toBe('postgres://me@a:1,b:2/mcp');
});

test.each([
  ['?sslmode=prefer', 'sslmode must be'],
  ['?sslmode=alow', 'sslmode must be'],
  ['?sslMode=disable', '"sslMode" is not known'],
  ['?sslcrl=x', '"sslcrl" is not known'],
  ['?target_session_attrs=standby', 'target_session_attrs must be'],
])('%s is refused, and says why', (more, why) => {
  expect(() => parseAddress(of(more))).toThrow(why);
});

test('what is not a host and port is refused without showing the password', () => {
  for (const hosts of ['a:1:2', 'a:x,b', 'a b'])
    expect(() => parseAddress(of('', hosts))).toThrow(/^database_url cannot be used: [^@]*$/);
});

test('require and verify-ca check the certificate and its name, as they always did', () => {
  for (const mode of ['require', 'verify-ca'])
    expect(parseAddress(of(`?sslmode=${mode}`)).pooled).toEqual([of('?sslmode=verify-full')]);
});
