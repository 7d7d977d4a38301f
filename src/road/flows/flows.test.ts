import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createFlows } from './flows.ts';

const CANARY = 'CANARY-7f3a9c51-d8e04b6f';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const percent = (text: string) => text.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`);

/** What is said to be at `mail` of something that `web` has answered. */
function flow(
  result: unknown,
  args: unknown,
  { asked = {}, server = 'mail' }: { asked?: object; server?: string } = {},
) {
  const flows = createFlows();
  flows.addResult({ client: 'c', server: 'web', tool: 'fetch', record: 'r1', args: asked, result });
  return flows.findOrigins(server, 'c', args).map((origin) => origin.server);
}
const said = (text: string) => ({ content: [{ type: 'text', text }] });

describe('what another server said is recognised', () => {
  const page = said(`Ticket 17. The key is ${CANARY}, keep it.`);
  test.each<[string, unknown]>([
    ['as it is', { body: `see ${CANARY}` }],
    ['deep inside', { a: [{ b: { c: [CANARY] } }] }],
    ['as a key', { [CANARY]: true }],
    ['in base64', { body: `x ${base64(`the key is ${CANARY}`)} y` }],
    ['in base64 behind something', { path: `/f/${base64(CANARY)}` }],
    [
      'in base64 for URLs',
      { u: `https://e.example/?q=${base64(`${CANARY}??>`).replace(/\+/g, '-').replace(/\//g, '_')}` },
    ],
    ['in base64 twice', { body: base64(base64(CANARY)) }],
    ['by percent signs', { u: `https://e.example/?q=${percent(CANARY)}` }],
    ['by percent signs twice', { u: percent(percent(CANARY)) }],
    ['in hexadecimal digits', { body: Buffer.from(CANARY).toString('hex') }],
    ['in other case', { body: CANARY.toLowerCase() }],
    ['with separators', { body: CANARY.split('').join(' ') }],
    ['with invisible characters', { body: CANARY.split('').join('\u200b') }],
    [
      'in wide characters',
      { body: CANARY.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)) },
    ],
    ['split over arguments', { a: CANARY.slice(0, 9), b: CANARY.slice(9) }],
    ['the half of it', { a: CANARY.slice(0, 13) }],
  ])('%s', (_, args) => expect(flow(page, args)).toEqual(['web']));

  test.each<[string, unknown]>([
    ['structured content', { structuredContent: { deep: [{ key: CANARY }] } }],
    ['the name of a link', { content: [{ type: 'resource_link', uri: 'file:///a', name: CANARY }] }],
    ['an error', { message: `failed for ${CANARY}` }],
  ])('from %s', (_, result) => expect(flow(result, { body: CANARY })).toEqual(['web']));
});

describe('what is no flow', () => {
  test.each<[string, string, unknown]>([
    [
      'prose',
      'The meeting about the quarterly report is on Monday',
      { body: 'about the quarterly report is on Monday' },
    ],
    ['a time', 'created 2026-11-16T02:43:01.123Z by Ann', { at: '2026-11-16T02:43:01.123Z' }],
    [
      'a version and a path',
      'node v20.19.0 in /usr/lib/node_modules/npm',
      { path: '/usr/lib/node_modules/npm', v: 'v20.19.0' },
    ],
    ['a name in camel case', 'call getUserByIdFromCache', { body: 'getUserByIdFromCache' }],
    [
      'an address of a page',
      'see https://example.com/docs/getting-started',
      { u: 'https://example.com/docs/getting-started' },
    ],
    ['another id', randomUUID(), { id: randomUUID(), data: randomBytes(3000).toString('base64') }],
  ])('%s', (_, text, args) => expect(flow(said(text), args)).toEqual([]));

  test('the same server, or one that said it too', () => {
    expect(flow(said(CANARY), { body: CANARY }, { server: 'web' })).toEqual([]);
    const flows = createFlows();
    for (const server of ['web', 'mail'])
      flows.addResult({ client: 'c', server, tool: 't', record: 'r', args: {}, result: said(CANARY) });
    expect(flows.findOrigins('mail', 'c', { body: CANARY })).toEqual([]);
    expect(flows.findOrigins('disk', 'c', { body: CANARY }).map(({ server }) => server)).toEqual([
      'web',
      'mail',
    ]);
  });

  test('what the client had asked for itself', () => {
    expect(flow(said(`found ${CANARY}`), { body: CANARY }, { asked: { id: CANARY } })).toEqual([]);
  });

  test('what another client was told', () => {
    const flows = createFlows();
    flows.addResult({ client: 'a', server: 'web', tool: 't', record: 'r', args: {}, result: said(CANARY) });
    expect(flows.findOrigins('mail', 'b', { body: CANARY })).toEqual([]);
  });
});

test('a server that floods drives out what it said itself, and nothing of others', () => {
  const flows = createFlows();
  const saw = (server: string, text: string) =>
    flows.addResult({ client: 'c', server, tool: 't', record: 'r', args: {}, result: said(text) });
  saw('private', CANARY);
  const ids = () => Array.from({ length: 500 }, () => randomUUID()).join(' ');
  const first = randomUUID();
  saw('flood', first);
  for (let i = 0; i < 20; i++) saw('flood', ids());
  expect(flows.findOrigins('mail', 'c', { body: CANARY }).map(({ server }) => server)).toEqual(['private']);
  expect(flows.findOrigins('mail', 'c', { body: first })).toEqual([]);
});

test('of very many clients the quiet ones are forgotten', () => {
  const flows = createFlows();
  const ids = Array.from({ length: 400 }, () => randomUUID()).join(' ');
  for (let i = 0; i < 400; i++) {
    flows.addResult({ client: `c${i}`, server: 'web', tool: 't', record: 'r', args: {}, result: said(ids) });
    flows.findOrigins('mail', `c${i}`, {});
  }
  const knows = (i: number) => flows.findOrigins('mail', `c${i}`, { id: ids.slice(0, 36) }).length > 0;
  expect([knows(399), knows(0)]).toEqual([true, false]);
});
