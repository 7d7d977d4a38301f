import type { ErrorCode, ProxyError } from '../../contract/errors.ts';

/** Errors whose text is the proxy's own, in the words of the protocol. */
const TRANSLATED: readonly ErrorCode[] = [
  'INVALID_ARGUMENTS',
  'TOO_DEEP',
  'PAYLOAD_TOO_LARGE',
  'TOOL_NOT_FOUND',
  'PROMPT_NOT_FOUND',
  'RESOURCE_NOT_FOUND',
  'SERVER_UNAVAILABLE',
];

const WORDS: ReadonlyArray<readonly [protocol: RegExp, cli: string]> = [
  [/\bargs_json\b/, '--args'],
  [/^arguments (?=must )/, '--args '],
  [/^name (?=is required, as "server:prompt"|must be "server:prompt")/, 'The name of the prompt '],
  [/^name (?=is |must |contains )/, 'The name of the tool '],
  [/retrieve_tools gives(?= the full names$)/, '"mcpproxy tools list" prints'],
  [/prompts\/list gives(?= the full names$)/, '"mcpproxy prompts list" prints'],
  [/ Use retrieve_tools to find tools\.$/, ''],
  [/; add it, or use retrieve_tools to find other tools$/, '. Add it with: mcpproxy upstream add'],
  [/prompts\/list has what can be used\.$/, '"mcpproxy prompts list" shows what can be used.'],
  [/GET \/api\/v1\/prompts lists them all\.$/, '"mcpproxy prompts list" shows what can be used.'],
  [/skills\/list has what can be used\.$/, '"mcpproxy skills list" shows what can be used.'],
  [/GET \/api\/v1\/skills lists them all\.$/, '"mcpproxy skills list" shows what can be used.'],
  [/resources\/list has what can be used\.$/, '"mcpproxy resources list" shows what can be used.'],
  [
    /resources\/templates\/list has what can be used\.$/,
    '"mcpproxy resources list --templates" shows what can be used.',
  ],
  [/Use a URI of resources\/list, or (?=mcpproxy:)/, 'Use a URI of "mcpproxy resources list", or '],
];

/** A person typed a command with flags, not a request with fields. What a server wrote stays as it is. */
export function inCliWords({ code, message, details }: ProxyError): string {
  if (!TRANSLATED.includes(code) || details.rpc_code !== undefined) return message;
  return WORDS.reduce((text, [protocol, cli]) => text.replace(protocol, cli), message);
}
