import { startRpcServer } from '../fixtures/rpc-server.ts';
import { TOOLS, type SeenRun, type ToolName } from './history.ts';

/** The server behind all proxies. It knows for itself what ran, and when. */
export interface Ledger {
  url: string;
  runs: SeenRun[];
  close(): Promise<void>;
}

const inputSchema = { type: 'object', properties: { nonce: { type: 'string' } }, required: ['nonce'] };
const HINTS: Record<ToolName, object> = {
  put: { readOnlyHint: false, destructiveHint: false },
  log: { readOnlyHint: false, destructiveHint: false },
  wipe: { readOnlyHint: false, destructiveHint: true },
  get: { readOnlyHint: true },
};
const tools = TOOLS.map((name) => ({
  name,
  description: `Ledger: ${name}`,
  inputSchema,
  annotations: HINTS[name],
}));

export async function startLedger(): Promise<Ledger> {
  const runs: SeenRun[] = [];
  const server = await startRpcServer(
    {
      initialize: ({ protocolVersion }) => ({
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'ledger', version: '1' },
      }),
      ping: () => ({}),
      'tools/list': () => ({ tools }),
      'tools/call': ({ name, arguments: args }) => {
        const { nonce } = args as { nonce: string };
        runs.push({ nonce, tool: name as ToolName, at: performance.now() });
        return { content: [{ type: 'text', text: nonce }] };
      },
    },
    false,
  );
  return { url: server.url, runs, close: () => server.close() };
}
