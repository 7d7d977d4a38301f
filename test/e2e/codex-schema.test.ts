import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperationType } from '../../src/contract/operation.ts';
import { openStage, type Stage } from './stage.ts';
import { cleanEnv, MAIN } from './start-proxy.ts';

// Codex shows the person who decides three arguments of a call, the first by alphabet.
const SHOWN = 3;
const ERAS = [
  ['2026-07-28', { pin: '2026-07-28' }],
  ['2025', 'legacy' as const],
] as const;
const ROADS = ['HTTP', 'stdio'] as const;

let stage: Stage;
beforeAll(async () => void (stage = await openStage()));
afterAll(() => stage?.dispose());

function transportOf(road: (typeof ROADS)[number]) {
  const { url, key, home } = stage.proxy;
  if (road === 'HTTP') {
    const options = { requestInit: { headers: { authorization: `Bearer ${key}` } } };
    return new StreamableHTTPClientTransport(new URL('/mcp', url), options);
  }
  const env = { ...(cleanEnv(home) as Record<string, string>), MCPPROXY_API_KEY: key };
  const args = [MAIN, 'stdio', '--url', url];
  return new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' });
}

describe.each(ERAS)('Codex, protocol %s', (_, mode) => {
  test.each(ROADS)(
    'over %s: the name of the tool is shown, however much intent is declared',
    async (road) => {
      const client = new Client(
        { name: 'codex-mcp-client', version: '0.166.0' },
        { versionNegotiation: { mode } },
      );
      await client.connect(transportOf(road));
      const { tools } = await client.listTools();
      for (const operation of OperationType.options) {
        const { inputSchema } = tools.find(({ name }) => name === `call_tool_${operation}`)!;
        const properties = Object.keys(inputSchema.properties!).toSorted();
        expect(properties.slice(0, SHOWN)).toContain('name');
        const intent = { operation_type: operation, data_sensitivity: 'private', reason: 'clean up' };
        const args = { name: 'up:destructive', args_json: '{"text":"x"}', intent };
        expect(properties).toEqual(Object.keys(args).toSorted());
      }
      const intent = { operation_type: 'destructive', data_sensitivity: 'private', reason: 'clean up' };
      const result = await client.callTool({
        name: 'call_tool_destructive',
        arguments: { name: 'up:destructive', args_json: '{"text":"x"}', intent },
      });
      expect(result.isError ?? false).toBe(false);
      const { records } = await stage.proxy.rest.request('listActivity', { type: 'tool_call', limit: 1 });
      expect(records[0]!.metadata.intent).toEqual(intent);
      await client.close();
    },
  );
});
