import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { compiled } from '../../../../test/fixtures/compiled.ts';
import { CLIENTS } from '../../../../test/fixtures/mcp-clients.ts';
import { literalActivity, type Json } from '../../../../test/fixtures/mcp-harness.ts';
import { INITIALIZE, modernRpc, rpc } from '../../../../test/fixtures/mcp-messages.ts';
import { literalTools } from '../../../../test/fixtures/mcp-tools.ts';
import { useClient } from '../../../../test/fixtures/use-client.ts';
import { createLog } from '../../../lib/log.ts';
import type { McpLimits } from '../limits.ts';
import { serveMcpStdio } from './stdio.ts';

const PROGRAM = await compiled(`import './test/fixtures/mcp-stdio.ts'`);
const COMMAND = { command: process.execPath, args: [PROGRAM] };

describe.each(CLIENTS)('$title over stdio', ({ connect, revision }) => {
  test('lists, calls, hears of progress and changes, cancels', async () => {
    const client = await connect(COMMAND);
    const report = async () => JSON.parse((await client.call('report')).content[0].text);
    await useClient(client, revision, {
      called: async () => (await report()).calls,
      aborted: async () => (await report()).aborted,
    });
    await client.call('announce');
    await expect.poll(() => client.changes()).toBe(1);
    await client.close();
  });
});

/** The server on pipes within this process. */
function openPipes(limits: Partial<McpLimits> = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const tools = literalTools();
  const { records, activity } = literalActivity();
  const said: Json[] = [];
  let rest = '';
  output.on('data', (chunk: Buffer) => {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop()!;
    said.push(...lines.map((line) => JSON.parse(line)));
  });
  const parts = { ...tools, activity, instructions: 'hi', version: '1', log: createLog('silent'), limits };
  const ended = serveMcpStdio(parts, { input, output });
  const send = (message: unknown) =>
    input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  return { ...tools, input, output, records, said, ended, send };
}

describe('MCP over pipes', () => {
  test('what is not UTF-8 is refused and recorded, and the next message is read', async () => {
    const pipes = openPipes();
    pipes.input.write(
      Buffer.from('{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"na\u00efve"}}\n', 'latin1'),
    );
    pipes.send(rpc('ping', undefined, 8));
    await expect.poll(() => pipes.said.length).toBe(2);
    expect(pipes.said).toMatchObject([
      { id: 7, error: { code: -32700 } },
      { id: 8, result: {} },
    ]);
    pipes.input.end();
    await pipes.ended;
    expect(pipes.records).toMatchObject([{ error_code: 'INVALID_JSON' }]);
  });

  test('what follows a long message waits for it, and all of it is heard before the end', async () => {
    const pipes = openPipes();
    const text = '"x'.repeat(100_000);
    pipes.send(modernRpc('tools/call', { name: 'echo', arguments: { text } }, 'long'));
    pipes.send(modernRpc('server/discover', {}, 'next'));
    pipes.input.end();
    await pipes.ended;
    expect(pipes.calls.length).toBe(1);
    expect(new Set(pipes.said.map(({ id }) => id))).toEqual(new Set(['long', 'next']));
  });

  test('both eras on one connection, each message by itself', async () => {
    const pipes = openPipes();
    pipes.send(modernRpc('server/discover', {}, 'm1'));
    pipes.send(rpc('initialize', INITIALIZE, 'o1'));
    pipes.send(modernRpc('tools/call', { name: 'echo' }, 'm2'));
    pipes.send(rpc('tools/call', { name: 'echo' }, 'o2'));
    pipes.send(modernRpc('ping', {}, 'm3'));
    await expect.poll(() => pipes.said.length).toBe(5);
    const byId = new Map(pipes.said.map((message) => [message.id, message]));
    expect(byId.get('m1').result.supportedVersions).toEqual(['2026-07-28']);
    expect(byId.get('o1').result.protocolVersion).toBe('2025-11-25');
    expect(byId.get('m2').result.resultType).toBe('complete');
    expect(byId.get('o2').result).not.toHaveProperty('resultType');
    expect(byId.get('m3').error.code).toBe(-32601);
    const [first, second] = pipes.calls.map(({ caller }) => caller);
    expect(first).toMatchObject({
      source: 'mcp',
      principal: 'operator',
      userId: 'local',
      client: 'tester/9',
    });
    expect([first!.sessionId, typeof second!.sessionId]).toEqual([undefined, 'string']);
    pipes.input.end();
    await pipes.ended;
  });

  test.each<[string, string, number, string, unknown?]>([
    ['no JSON', '{oops', -32700, 'INVALID_JSON'],
    ['no message', '[1', -32700, 'INVALID_JSON'],
    [
      'a batch in a revision without',
      '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
      -32600,
      'INVALID_REQUEST',
    ],
    ['params no object', '{"jsonrpc":"2.0","id":7,"method":"ping","params":1}', -32600, 'INVALID_REQUEST', 7],
    ['too deep', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`, -32600, 'TOO_DEEP'],
    [
      'too long',
      `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"${'x'.repeat(3_000)}"}}`,
      -32600,
      'PAYLOAD_TOO_LARGE',
      8,
    ],
    [
      'an envelope without capabilities',
      JSON.stringify(rpc('ping', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }, 9)),
      -32602,
      'INVALID_REQUEST',
      9,
    ],
  ])(
    '%s: refused, recorded, and the next message is heard',
    async (_case, ...[line, code, recorded, id = null]) => {
      const pipes = openPipes({ bodyBytes: 2_000 });
      pipes.send(line);
      pipes.send('  ');
      pipes.send(rpc('ping', undefined, 'next'));
      await expect.poll(() => pipes.said.length).toBe(2);
      expect(pipes.said).toMatchObject([
        { id, error: { code } },
        { id: 'next', result: {} },
      ]);
      expect(pipes.records).toMatchObject([{ type: 'bad_request', status: 'refused', error_code: recorded }]);
      expect(pipes.calls).toEqual([]);
      pipes.input.end();
      await pipes.ended;
    },
  );

  test('batches in the revision that has them', async () => {
    const pipes = openPipes();
    pipes.send(rpc('initialize', { ...INITIALIZE, protocolVersion: '2025-03-26' }, 0));
    pipes.send([rpc('ping', undefined, 1), rpc('tools/call', { name: 'echo' }, 2)]);
    await expect.poll(() => pipes.said.length).toBe(2);
    expect(pipes.said[1].map((answer: Json) => answer.id)).toEqual([1, 2]);
    pipes.input.end();
    await pipes.ended;
  });

  test('subscriptions are told of changes, cancelled, and ended', async () => {
    const pipes = openPipes();
    pipes.send(modernRpc('subscriptions/listen', { notifications: { toolsListChanged: true } }, 's1'));
    pipes.send(modernRpc('subscriptions/listen', { notifications: { toolsListChanged: true } }, 's2'));
    pipes.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 's1' } });
    await expect.poll(() => pipes.said.length).toBe(2);
    pipes.input.end();
    await pipes.ended;
    expect(pipes.said.slice(2)).toMatchObject([{ id: 's2', result: { resultType: 'complete' } }]);
  });

  test('at the end of input, calls may finish; those that do not are cancelled', async () => {
    const pipes = openPipes({ drainMs: 200 });
    pipes.send(rpc('tools/call', { name: 'wait', arguments: { ms: 50 } }, 1));
    pipes.send(rpc('tools/call', { name: 'hang' }, 2));
    pipes.input.end();
    await pipes.ended;
    expect(pipes.said).toMatchObject([
      { id: 1, result: { content: [{ text: 'waited' }] } },
      { id: 2, error: { message: 'The proxy is stopping' } },
    ]);
    expect(pipes.aborted).toHaveLength(1);
  });

  test('a client that no longer reads ends the service and its calls', async () => {
    const pipes = openPipes();
    pipes.send(rpc('tools/call', { name: 'hang' }, 1));
    await expect.poll(() => pipes.calls.length).toBe(1);
    pipes.output.destroy();
    await pipes.ended;
    expect(pipes.aborted).toEqual(['the client disconnected']);
  });

  test('a limited number of calls at once', async () => {
    const pipes = openPipes({ inFlight: 1, drainMs: 10 });
    pipes.send(rpc('tools/call', { name: 'hang' }, 1));
    pipes.send(rpc('tools/call', { name: 'echo' }, 2));
    pipes.send(modernRpc('tools/call', { name: 'hang' }, 3));
    pipes.send(modernRpc('tools/call', { name: 'echo' }, 4));
    await expect
      .poll(() => pipes.said)
      .toMatchObject([
        { id: 2, error: { code: -32000 } },
        { id: 4, error: { code: -32000 } },
      ]);
    pipes.input.end();
    await pipes.ended;
  });

  test('nothing but JSON-RPC reaches stdout, and the program ends with its input', async () => {
    const child = spawn(COMMAND.command, COMMAND.args, { stdio: ['pipe', 'pipe', 'ignore'] });
    let out = '';
    child.stdout.on('data', (chunk) => (out += String(chunk)));
    child.stdin.end(`garbage\n${JSON.stringify(rpc('tools/call', { name: 'broken' }))}\n`);
    // Not at its exit: what it has printed may still be on its way then.
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(0);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).error.code),
    ).toEqual([-32700, -32603]);
  });
});
