import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { systemClock } from '../../../lib/clock.ts';
import { readPublicPlace } from '../server/public-place.ts';
import { createWebSessions } from './web-sessions.ts';

const PUBLIC = 'https://mcp.example.com/tools/';
const request = (headers: Record<string, string>, localPort = 8080) =>
  ({ headers, socket: { localPort } }) as unknown as IncomingMessage;
const create = (publicUrl?: string, apiKey = 'the key of all proxies') =>
  createWebSessions({
    apiKey: () => apiKey,
    clock: systemClock,
    ...(publicUrl !== undefined && { publicPlace: () => readPublicPlace(publicUrl) }),
  });
const begun = (sessions: ReturnType<typeof create>, req: IncomingMessage) => {
  const { cookie } = sessions.begin(req);
  return { cookie, pair: cookie.split(';')[0]! };
};

test('through a reverse proxy, the cookie is for its path and TLS, and every proxy behind it takes it', () => {
  const host = 'mcp.example.com';
  const { cookie, pair } = begun(create(PUBLIC), request({ host }, 8081));
  expect(cookie).toMatch(/^mcpproxy_session_443=.*; Path=\/tools\/; HttpOnly; SameSite=Strict; .*; Secure$/);
  expect(create(PUBLIC).find(request({ host, cookie: pair }, 8082))).toBeDefined();
  expect(create(PUBLIC, 'another key').find(request({ host, cookie: pair }, 8082))).toBeUndefined();
  expect(create(PUBLIC).end(request({ host, cookie: pair }))).toMatch(
    /=; Path=\/tools\/; .*Max-Age=0; Secure$/,
  );
});

test('at the address of a proxy itself, the cookie is for its port, with a public address or without', () => {
  for (const sessions of [create(), create(PUBLIC)]) {
    const { cookie, pair } = begun(sessions, request({ host: '127.0.0.1:8081' }, 8081));
    expect(cookie).toMatch(/^mcpproxy_session_8081=.*; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    expect(sessions.find(request({ host: '127.0.0.1:8081', cookie: pair }, 8081))).toBeDefined();
    expect(sessions.find(request({ host: '127.0.0.1:8082', cookie: pair }, 8082))).toBeUndefined();
  }
});

test('a public port that is not that of its scheme is in the name', () => {
  const { cookie } = begun(
    create('http://mcp.example.com:8443'),
    request({ host: 'mcp.example.com:8443' }, 8081),
  );
  expect(cookie).toMatch(/^mcpproxy_session_8443=.*; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
});
