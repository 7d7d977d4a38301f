import type { Trace } from '../../contract/call.ts';
import type { Continuation } from './dispatch-call.ts';
import type { JsonObject } from '../../json/index.ts';

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
/** What a server can ask for within a call. Other capabilities need methods that lead past the road, so they are not promised. */
const ANSWERABLE = ['elicitation', 'sampling', 'roots'];

/** What the caller brings to this round, beside the name and the arguments of the call. */
export function broughtTo({ inputResponses, requestState }: Continuation): JsonObject {
  return {
    ...(inputResponses !== undefined && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
}

/** What this call says in its `_meta`, besides what every request does. */
export function metaOf(round: Continuation | undefined, trace: Trace | undefined): JsonObject | undefined {
  const capabilities = round && capabilitiesIn(round);
  if (!trace) return capabilities;
  return { ...capabilities, ...trace.context };
}

/** The caller answers what the server asks, so it is the caller's capabilities that count in this call. */
function capabilitiesIn({ clientCapabilities }: Continuation): JsonObject | undefined {
  if (clientCapabilities === undefined) return undefined;
  const known = ANSWERABLE.filter((name) => clientCapabilities[name] !== undefined);
  return { [CAPABILITIES]: Object.fromEntries(known.map((name) => [name, clientCapabilities[name]])) };
}
