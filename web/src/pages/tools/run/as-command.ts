import type { OperationType } from '../../../../../src/contract/operation.ts';

/** A call as a person would make it in a terminal. */
interface Call {
  name: string;
  operation: OperationType;
  argsJson: string;
  reason: string;
}

/** A word of a POSIX shell that nothing expands. */
const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

export function asCommand({ name, operation, argsJson, reason }: Call): string {
  const words = ['mcpproxy', 'call', `tool-${operation}`, name, '--args', argsJson];
  if (reason !== '') words.push('--reason', reason);
  return words.map(quoted).join(' ');
}

export function asCurl({ name, operation, argsJson, reason }: Call, url: string): string {
  const intent = { operation_type: operation, ...(reason !== '' && { reason }) };
  const head = JSON.stringify({ tool_variant: `call_tool_${operation}`, name, intent });
  // The arguments as they are: reading and writing them again could change a number.
  const body = `${head.slice(0, -1)},"args":${argsJson}}`;
  return [
    `curl -sS ${quoted(`${url}/api/v1/tools/call`)}`,
    '-H "X-API-Key: $MCPPROXY_API_KEY"',
    "-H 'Content-Type: application/json'",
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ');
}
