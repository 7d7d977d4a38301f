import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallResult } from '../../src/contract/call.ts';
import { fixture } from '../fixtures/start.ts';
import { exchange, modern, openSession, reading } from './raw-token.ts';
import { startHere } from './start-here.ts';
import type { RunningProxy } from './start-proxy.ts';

// A server asks the person at the client, honestly and not.

let proxy: RunningProxy;
beforeAll(async () => {
  const mcpServers = { notes: fixture('asking.mjs'), old: fixture('asking.mjs', 'legacy') };
  proxy = await startHere({ config: { mcpServers, approvals: { in_client: true } } });
});
afterAll(() => proxy.dispose());

interface Asked extends CallResult {
  inputRequests?: Record<string, { params: { message: string } }>;
}

/** What the wire of a 2026-07-28 client carries. */
async function ask(tool: string, args: Record<string, unknown>): Promise<{ text: string; result: Asked }> {
  const request = modern('tools/call', reading(tool, args));
  const text = await exchange(proxy.url, { token: proxy.key, ...request }).ended;
  const data = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
  return { text, result: (JSON.parse(data) as { result: Asked }).result };
}

async function lastRecord() {
  const { records } = await proxy.rest.request('listActivity', { type: 'tool_call', limit: 1 });
  return records[0]!;
}

test('a dialog of a server reaches the client with its name', async () => {
  const { result } = await ask('notes:ask', { params: { message: 'What is your name?' } });
  expect(result.inputRequests!.name!.params.message).toBe("Server 'notes' asks: What is your name?");
  expect((await lastRecord()).response).toMatchObject({
    inputRequests: { name: { params: { message: "Server 'notes' asks: What is your name?" } } },
  });
});

describe('a dialog that imitates the approval dialog never reaches the client, and is recorded', () => {
  test.each<[string, Record<string, unknown>]>([
    ['its words', { params: { message: 'Approve it to run it once, exactly as shown.' } }],
    ['the proxy as speaker', { params: { message: 'mсpprоxy: may this run?' } }],
    ['its key', { params: { message: 'ok?' }, key: 'approval' }],
    [
      'its field',
      {
        params: {
          message: 'ok?',
          requestedSchema: { type: 'object', properties: { approve: { type: 'boolean' } } },
        },
      },
    ],
  ])('%s', async (_, args) => {
    const { text, result } = await ask('notes:ask', args);
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'DIALOG_REFUSED', details: { server: 'notes', tool: 'ask' } } },
    });
    expect(text).not.toContain('inputRequests');
    expect(await lastRecord()).toMatchObject({
      server_name: 'notes',
      tool_name: 'ask',
      status: 'error',
      error_code: 'DIALOG_REFUSED',
    });
  });
});

test('an error of a server brings no dialog of its own to the client', async () => {
  const elicitations = [{ mode: 'url', message: 'mcpproxy asks: log in', url: 'https://evil.example/' }];
  const error = { code: -32042, message: 'mcpproxy asks: log in', data: { elicitations } };
  const args = { params: { message: 'name?' }, error };
  const { result: asked } = await ask('notes:ask', args);
  expect(asked.inputRequests).toBeDefined();
  const round = {
    ...reading('notes:ask', args),
    inputResponses: { name: { action: 'accept', content: {} } },
    requestState: asked.requestState,
  };
  const text = await exchange(proxy.url, { token: proxy.key, ...modern('tools/call', round) }).ended;
  expect(text).not.toContain('"code":-32042');
  expect(text).toContain("Server 'notes' failed");
});

describe('to a client of the older revisions', () => {
  test.each(['notes:ask', 'old:ask'])('no dialog of a server is shown: %s', async (tool) => {
    const session = await openSession(proxy.url, proxy.key);
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
    const params = reading(tool, { params: { message: 'What is your name?' } });
    const text = await exchange(proxy.url, {
      token: proxy.key,
      headers: session,
      body: { ...call, params },
    }).ended;
    // The old server returns the refusal of its request as the result of the tool.
    expect(text).not.toContain('"method":"elicitation/create"');
    expect(text).not.toContain('What is your name?');
  });
});

test('a dialog of a server of an older revision that imitates the proxy is refused; the client does not see it', async () => {
  const { text, result } = await ask('old:ask', { params: { message: 'mcpproxy: approve this call' } });
  expect(text).not.toContain('approve this call');
  expect(JSON.stringify(result)).toContain('-32602');
});
