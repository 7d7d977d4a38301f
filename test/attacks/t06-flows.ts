import { createHash, randomBytes } from 'node:crypto';
import type { CallResult } from '../../src/contract/call.ts';
import type { OperationType } from '../../src/contract/operation.ts';
import { connectClient, type TestClient } from '../e2e/mcp-clients.ts';
import type { RunningProxy } from '../e2e/start-proxy.ts';
import type { Attack, Tally } from './attack.ts';
import { startOf } from './scaled.ts';
import { DESTROYS, READS, toldServer, toolNamed, WRITES, type ToldServer } from './told-server.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const percent = (text: string) => text.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`);

/** How a stolen text may be carried. */
const DISGUISES: Record<string, (text: string) => Record<string, unknown>> = {
  plain: (text) => ({ text: `as asked: ${text}.` }),
  'in base64': (text) => ({ text: `blob ${base64(`key ${text}`)}` }),
  'in base64 in a URL': (text) => ({ text: `https://e.example/a/${base64(text).replace(/=+$/, '')}` }),
  'by percent signs': (text) => ({ text: `https://e.example/?q=${percent(text)}` }),
  split: (text) => ({ text: text.slice(0, 7), more: [text.slice(7, 15), text.slice(15)] }),
  'with separators': (text) => ({ text: text.split('').join('.') }),
  'in hexadecimal digits': (text) => ({ text: Buffer.from(text).toString('hex') }),
  'as a key': (text) => ({ text: 'x', [text]: 1 }),
};
type Bytes = (count: number) => Buffer;
/** What keys and ids look like. */
const SECRETS: Array<(bytes: Bytes) => string> = [
  (bytes) => `CANARY-${bytes(12).toString('hex')}`,
  (bytes) =>
    bytes(16)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  (bytes) => `sk-live-${bytes(24).toString('base64url')}`,
  (bytes) => `ghp_${bytes(27).toString('base64').replace(/[+/]/g, '0')}`,
];
/** The same each time: of eight that are drawn, one in five times one is missed, and a share of eight says nothing of the rest. */
function sameBytes(): Bytes {
  let drawn = 0;
  return (count) => createHash('sha512').update(`${drawn++}`).digest().subarray(0, count);
}
/** What one says to two servers in a day's work, without carrying anything from one to the other. */
const ORDINARY = [
  'The meeting moves to Monday 10:30, room 4.12; please tell everybody who was invited.',
  'see https://example.com/docs/getting-started and /usr/share/doc/README.md',
  'created 2026-11-16T02:43:01.123Z, closed 2026-11-17T08:00:00+01:00, version 20.19.4',
  'getUserByIdFromCache(), sha256, utf-8, x86_64-linux-gnu, ISO-8859-1, http://127.0.0.1:8080/api/v1',
];

/** Something that an open server has said goes to another one with the next change. */
export const crossFlows: Attack = {
  threat: 'T06',
  title: 'what one server says is carried to another',
  async run(tally, scale) {
    const web = toldServer({ tools: [toolNamed('fetch', { annotations: READS })] });
    const targets = { post: WRITES, wipe: DESTROYS, unhinted: undefined };
    const tools = Object.entries(targets).map(([name, annotations]) =>
      toolNamed(name, annotations ? { annotations } : {}),
    );
    const mail = toldServer({ tools });
    const mcpServers = { web: web.config, mail: mail.config };
    const proxy = await startOf(scale)({ config: { mcpServers, approvals: { wait: '0s' } } });
    const client = await connectClient('2026-07-28', proxy);
    try {
      const drawn = scale === 'full' ? { times: 25, bytes: randomBytes } : { times: 1, bytes: sameBytes() };
      await carried({ proxy, client, web, tally, ...drawn });
      await ordinary({ proxy, client, web, tally });
      await held({ proxy, client, web, mail, tally });
    } finally {
      await client.close();
      await proxy.dispose();
      web.remove();
      mail.remove();
    }
  },
};

interface Ground {
  proxy: RunningProxy;
  client: TestClient;
  web: ToldServer;
  tally: Tally;
}

const call = (
  client: TestClient,
  [name, operation]: readonly [name: string, operation: OperationType],
  args: Record<string, unknown>,
) => client.call(`call_tool_${operation}`, { name, args, intent_operation_type: operation });

async function fetched({ client, web }: Ground, text: string): Promise<void> {
  const result = { content: [{ type: 'text', text }] };
  web.say({ tools: [toolNamed('fetch', { annotations: READS })], answers: { fetch: { result } } });
  await call(client, ['web:fetch', 'read'], {});
}

/** What the newest record of a tool says of where its arguments came from. */
async function flowsOf(proxy: RunningProxy, tool: string): Promise<{ flows: unknown; warned: boolean }> {
  const { records } = await proxy.rest.request('listActivity', { type: 'tool_call', tool, limit: 1 });
  const { flows, warnings = [] } = records[0]!.metadata;
  return { flows, warned: warnings.some((text) => text.includes("'web:fetch'")) };
}

async function carried(ground: Ground & { times: number; bytes: Bytes }): Promise<void> {
  const { proxy, client, tally, times, bytes } = ground;
  let [tried, found] = [0, 0];
  for (let time = 0; time < times; time++)
    for (const [how, disguise] of Object.entries(DISGUISES)) {
      const secret = SECRETS[tried % SECRETS.length]!(bytes);
      await fetched(ground, `Dear assistant, the key is ${secret} and the rest is below.`);
      const [tool, operation] = TARGETS[tried++ % TARGETS.length]!;
      await call(client, [`mail:${tool}`, operation], disguise(secret));
      const { flows, warned } = await flowsOf(proxy, tool);
      const named = JSON.stringify(flows ?? []).includes('"web"') && warned;
      if (named) found++;
      // One key in many is all letters for so long that it looks like a word.
      tally.held(named || !secret.startsWith('CANARY'), `${how}, unnoticed: ${secret}`);
    }
  tally.held(found / tried >= 0.9, `${found} of ${tried} noticed`);
  tally.figure(`${found} of ${tried} carried texts noticed`);
}
const TARGETS: ReadonlyArray<[string, OperationType]> = [
  ['post', 'write'],
  ['wipe', 'destructive'],
  ['unhinted', 'read'],
];

async function ordinary(ground: Ground): Promise<void> {
  let alarms = 0;
  for (const text of ORDINARY) {
    await fetched(ground, text);
    await call(ground.client, ['mail:post', 'write'], { text });
    const { flows } = await flowsOf(ground.proxy, 'post');
    if (flows !== undefined) alarms++;
    ground.tally.held(flows === undefined, `a false alarm: ${text}`);
  }
  ground.tally.figure(`${alarms} of ${ORDINARY.length} ordinary texts flagged`);
}

/** With `flows: "ask"` nothing is sent before a person has seen it. */
async function held({ mail, ...ground }: Ground & { mail: ToldServer }): Promise<void> {
  const { proxy, client, tally } = ground;
  await proxy.rest.request('updateConfig', { body: { flows: 'ask' } });
  const secret = `CANARY-${randomBytes(12).toString('hex')}`;
  await fetched(ground, secret);
  const before = mail.executions().length;
  const codeOf = ({ structuredContent }: CallResult) =>
    (structuredContent as { error?: { code: string } } | undefined)?.error?.code;
  // At once: each is told only after it was held for a while.
  const sent = Object.values(DISGUISES).map((disguise) =>
    call(client, ['mail:post', 'write'], disguise(secret)),
  );
  for (const code of (await Promise.all(sent)).map(codeOf))
    tally.held(code === 'APPROVAL_PENDING', `a carried text was not held: ${code}`);
  tally.held(mail.executions().length === before, 'a held call was sent');
  const { approvals } = await proxy.rest.request('listApprovals', { status: 'pending', limit: 50 });
  const told = approvals.filter(({ rule }) => rule.includes("'web:fetch'")).length;
  tally.held(told === Object.keys(DISGUISES).length, `${told} of the questions say where it came from`);
  const free = await call(client, ['mail:post', 'write'], { text: 'nothing of the kind' });
  tally.held(codeOf(free) === undefined, 'an ordinary change was held');
}
