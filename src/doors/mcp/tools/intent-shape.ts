/** How the intent is advertised in tools/list: as parameters `intent_…`, or as one object `intent`. */
export type IntentShape = 'flat' | 'nested';

/**
 * Codex shows the person who decides the first three arguments by alphabet. With flat parameters these are `args_json` and two of the
 * intent, and the name of the tool is not among them; with one object they are `args_json`, `intent` and `name`.
 */
const SHOWS_THREE_ARGUMENTS = /^codex-mcp-client(\/|$)/;

/** `client`: the program as it names itself, with or without its version. */
export function intentShapeFor(client: string | undefined): IntentShape {
  return client !== undefined && SHOWS_THREE_ARGUMENTS.test(client) ? 'nested' : 'flat';
}
