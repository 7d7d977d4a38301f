/** What `@modelcontextprotocol/server-everything` (a 2025 server) has: each row is the same direct and through the proxy. */
export interface ParityRow {
  what: string;
  /** How many of it there are. */
  count: number;
}

/** By the client of which revision, through the proxy. Direct: SDK 1.x. */
export const PARITY_CLIENTS = ['SDK 1.x', '2026-07-28'] as const;

export const PARITY = {
  prompts: { what: 'prompts listed', count: 4 },
  got: { what: 'prompts got, with arguments and embedded resources', count: 4 },
  resources: { what: 'resources listed', count: 7 },
  read: { what: 'resources read', count: 7 },
  templates: { what: 'resource templates listed', count: 2 },
  expanded: { what: 'resources read by an expanded template', count: 2 },
  linked: { what: 'resources read by a `resource_link` of a tool result', count: 3 },
  embedded: { what: 'resources read by the URI of an embedded resource', count: 1 },
  completed: { what: 'arguments completed: of a prompt, with context, of a template', count: 3 },
  updates: { what: 'updates of a resource that is subscribed to', count: 1 },
} as const satisfies Record<string, ParityRow>;

export type ParityKey = keyof typeof PARITY;

/** The part of docs/conformance.md. */
export function parityText(): string[] {
  return [
    '## The same as without the proxy',
    '',
    '`@modelcontextprotocol/server-everything`, used directly by the official client and through the proxy by the official clients of both',
    'eras. `test/conformance/parity.test.ts` compares the contents, not only the numbers.',
    '',
    `| what | direct | ${PARITY_CLIENTS.map((kind) => `through the proxy, ${kind}`).join(' | ')} |`,
    `|---|---|${PARITY_CLIENTS.map(() => '---|').join('')}`,
    ...Object.values(PARITY).map(
      ({ what, count }) => `| ${what} | ${count} | ${PARITY_CLIENTS.map(() => `${count} |`).join(' ')}`,
    ),
    '',
  ];
}
