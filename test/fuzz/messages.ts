import fc, { type Arbitrary } from 'fast-check';
import { changed, json, text } from './arbitraries.ts';

const META = 'io.modelcontextprotocol';
export const ENVELOPE = {
  [`${META}/protocolVersion`]: '2026-07-28',
  [`${META}/clientInfo`]: { name: 'fuzz', version: '1' },
  [`${META}/clientCapabilities`]: {},
};

const operation = fc.constantFrom('read', 'write', 'destructive');
const tool = fc.constantFrom(
  'read_only',
  'destructive',
  'not_read_only',
  'unannotated',
  'string_hint',
  'asks',
);

/** The arguments of a `call_tool_*`, good ones and bad ones. */
export const callArguments: Arbitrary<Record<string, unknown>> = fc.record(
  {
    name: fc.oneof(
      { weight: 6, arbitrary: tool.map((name) => `up:${name}`) },
      { weight: 1, arbitrary: text },
      { weight: 1, arbitrary: text.map((name) => `up:${name}`) },
    ),
    args: fc.oneof({ weight: 3, arbitrary: fc.constant<unknown>({}) }, { weight: 1, arbitrary: json }),
    args_json: fc.oneof(
      fc.constant('{}'),
      json.map((value) => JSON.stringify(value)),
      text,
    ),
    intent: fc.oneof(
      operation.map((operation_type) => ({ operation_type })),
      json,
    ),
    intent_operation_type: fc.oneof({ weight: 5, arbitrary: operation }, { weight: 1, arbitrary: json }),
    intent_reason: text,
    intent_data_sensitivity: fc.oneof(fc.constantFrom('public', 'private'), json),
  },
  { requiredKeys: ['name'] },
);

const variant = operation.map((name) => `call_tool_${name}`);

/** Parameters of `tools/call`. */
const call = fc.oneof(
  { weight: 4, arbitrary: fc.record({ name: variant, arguments: callArguments }) },
  {
    weight: 1,
    arbitrary: fc.record({ name: fc.constant('retrieve_tools'), arguments: fc.record({ query: text }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      name: fc.constant('describe_tool'),
      arguments: fc.record({ names: fc.array(text) }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ name: text, arguments: json }) },
) as Arbitrary<Record<string, unknown>>;

const METHODS = [
  'tools/list',
  'ping',
  'server/discover',
  'initialize',
  'prompts/get',
  'resources/read',
  'logging/setLevel',
];

const request = fc.oneof(
  { weight: 5, arbitrary: call.map((params) => ({ method: 'tools/call', params })) },
  { weight: 1, arbitrary: fc.record({ method: fc.constantFrom(...METHODS), params: json }) },
  { weight: 1, arbitrary: fc.record({ method: text, params: json }) },
  {
    weight: 1,
    arbitrary: fc.constant({
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: false } },
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      method: fc.constant('notifications/cancelled'),
      params: fc.record({ requestId: json }),
    }),
  },
) as Arbitrary<{ method: string; params: unknown }>;

const id = fc.oneof(
  { weight: 20, arbitrary: fc.nat(1000) },
  { weight: 1, arbitrary: text },
  { weight: 1, arbitrary: json },
);

/** A message of 2025, more or less. */
export const legacyMessage: Arbitrary<unknown> = changed(
  fc.tuple(id, request).map(([one, body]) => ({ jsonrpc: '2.0', id: one, ...body })),
);

/** A message of 2026-07-28, more or less. */
export const modernMessage: Arbitrary<unknown> = changed(
  fc
    .tuple(id, request, fc.option(fc.tuple(text, json), { nil: undefined }))
    .map(([one, { method, params }, state]) => ({
      jsonrpc: '2.0',
      id: one,
      method,
      params: {
        ...(params as object | null),
        ...(state && { requestState: state[0], inputResponses: state[1] }),
        _meta: ENVELOPE,
      },
    })),
);

interface Said {
  name?: unknown;
  arguments?: {
    name?: unknown;
    intent?: { operation_type?: unknown } | null;
    intent_operation_type?: unknown;
  };
}

/** What a call must at least have said to have reached a server. */
export function mayRun(message: unknown): boolean {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: Said };
  const said = params?.arguments;
  const operation = String(params?.name).replace('call_tool_', '');
  const declared = [said?.intent?.operation_type, said?.intent_operation_type].filter(
    (value) => value !== undefined && value !== null && value !== '',
  );
  return (
    method === 'tools/call' &&
    typeof said?.name === 'string' &&
    said.name.startsWith('up:') &&
    declared.length > 0 &&
    declared.every((value) => value === operation)
  );
}
