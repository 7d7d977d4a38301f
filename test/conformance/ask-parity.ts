/** What servers ask of clients, and the tools that do: of the official server-everything (2025 era), and of a server of the 2026 era. */
export const ASK_PARITY = [
  {
    what: 'elicitation, form',
    method: 'elicitation/create',
    older: { tool: 'trigger-elicitation-request', args: {}, variant: 'write' },
    newer: 'elicit',
  },
  {
    what: 'elicitation, URL',
    method: 'elicitation/create',
    older: { tool: 'trigger-url-elicitation', args: { url: 'https://example.com/login' }, variant: 'write' },
    newer: 'elicit-url',
  },
  {
    what: 'sampling, after the consent of a person',
    method: 'sampling/createMessage',
    older: { tool: 'trigger-sampling-request', args: { prompt: 'Say pong' }, variant: 'write' },
    newer: 'sample',
  },
  {
    what: 'roots',
    method: 'roots/list',
    older: { tool: 'get-roots-list', args: {}, variant: 'read' },
    newer: 'roots',
  },
] as const;

/** The part of docs/conformance.md about it. `test/e2e/server-requests.test.ts` runs every cell with the official clients. */
export function askParityText(): string[] {
  const cells = (tool: string, server: string) => [`\`${server}:${tool}\` passes`, 'passes'];
  return [
    '## What servers ask of clients',
    '',
    'Each cell is a test with official clients: SDK 1.x and SDK 2 in the 2025 era, SDK 2 in the 2026 era. `everything` is',
    '`@modelcontextprotocol/server-everything`; `modern` is a server of the 2026 era on the official SDK.',
    '',
    '| request | 2025 server, 2025 client | 2025 server, 2026 client | 2026 server, 2025 client | 2026 server, 2026 client |',
    '|---|---|---|---|---|',
    ...ASK_PARITY.map(
      ({ what, older, newer }) =>
        `| ${[what, ...cells(older.tool, 'everything'), ...cells(newer, 'modern')].join(' | ')} |`,
    ),
    '',
  ];
}
