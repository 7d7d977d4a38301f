import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UriTemplate } from '@modelcontextprotocol/sdk/shared/uriTemplate.js';
import { proxiedUri, readProxiedUri } from './resource-uri.ts';

test('server and URI come back from any proxied URI', () => {
  const server = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,20}$/);
  fc.assert(
    fc.property(server, fc.oneof(fc.webUrl(), fc.string({ minLength: 1 })), (name, uri) => {
      expect(readProxiedUri(proxiedUri(name, uri))).toEqual({ server: name, uri });
    }),
  );
});

test.each([
  '',
  'mcpproxy://',
  'mcpproxy://a',
  'mcpproxy://a/',
  'mcpproxy:///x',
  'http://a/x',
  'MCPPROXY://a/x',
])('%j is none', (text) => expect(readProxiedUri(text)).toBeUndefined());

test.each([
  ['demo://x/{id}', { id: 'a b/ü%' }],
  ['file:///{+path}{?q*}', { path: 'a/b', q: '1' }],
  ['x://{host}{/a,b}{#f}', { host: 'h', a: '1', b: '2', f: 'z' }],
])('the expansion of %s leads back to that of the server', (template, values) => {
  const expand = (text: string) => new UriTemplate(text).expand(values);
  expect(readProxiedUri(expand(proxiedUri('srv', template)))).toEqual({
    server: 'srv',
    uri: expand(template),
  });
});

test('a URL parser leaves it as it is', () => {
  for (const uri of ['file:///a/b.txt', 'demo://resource/static/x.md', 'https://x.test/a?b=c#d'])
    expect(new URL(proxiedUri('My_Server.1', uri)).href).toBe(proxiedUri('My_Server.1', uri));
});
