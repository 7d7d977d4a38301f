import { isEnveloped, stamped, type Rpc } from './wire.ts';

const TEXT_INPUT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

const TOOLS = [
  {
    name: 'echo',
    description: 'Gives the text back',
    inputSchema: TEXT_INPUT,
    annotations: { readOnlyHint: true },
  },
  {
    name: 'write_echo',
    description: 'Stores the text and gives it back',
    inputSchema: TEXT_INPUT,
    annotations: { readOnlyHint: false, destructiveHint: false },
  },
];

/** The least that an MCP server must say. It offers the 2025 handshake only, as nearly all servers do, but takes calls of both eras. */
export function answerTo(message: Rpc): Rpc | undefined {
  if (message.id === undefined) return undefined;
  const head = { jsonrpc: '2.0' as const, id: message.id };
  const result = resultOf(message);
  if (!result) return { ...head, error: { code: -32601, message: 'Method not found' } };
  return { ...head, result: isEnveloped(message) ? stamped(result) : result };
}

function resultOf({ method = '', params }: Rpc): Record<string, unknown> | undefined {
  switch (method) {
    case 'tools/call':
      return {
        content: [{ type: 'text', text: (params?.arguments as { text?: string } | undefined)?.text ?? '' }],
      };
    case 'tools/list':
      return { tools: TOOLS };
    case 'initialize':
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'echo', version: '1.0.0' },
      };
    case 'ping':
      return {};
    default:
      return undefined;
  }
}
