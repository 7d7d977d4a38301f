import type { ArgumentChecker } from '../../catalog/arguments/argument-checker.ts';
import type { Audience } from '../../catalog/audience.ts';
import type { CatalogTool } from '../../catalog/catalog.ts';
import type { ActivityMetadata } from '../../contract/activity.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Config } from '../../contract/config.ts';
import { ProxyError } from '../../contract/errors.ts';
import { waitingText, type ServerView } from '../../contract/server.ts';
import { unavailable } from '../../upstream/dispatch/failures.ts';
import { checkArguments } from './check-arguments.ts';
import { checkIntent } from './check-intent.ts';
import { checkOffered } from './check-offered.ts';
import { audienceOf, checkNameInScope, checkOperationInScope } from './check-scope.ts';
import { checkServer } from './check-server.ts';
import { fillUser } from './fill-user.ts';
import type { ParsedCall } from './parse-call.ts';
import type { JsonObject } from '../../json/object.ts';

type Seen = Pick<ServerView, 'state' | 'tool_count' | 'waiting_for' | 'waiting_since'>;

export interface Checks {
  config: () => Pick<Config, 'intent_declaration' | 'validate_arguments'>;
  catalog: {
    get(name: string): CatalogTool | undefined;
    nearest(name: string, audience?: Audience): string[];
  };
  argumentChecker: ArgumentChecker;
  /** Absent: no server is expected to list more tools than it does now. */
  servers?: { view(name: string): Seen | undefined };
}

export interface Allowed {
  tool: CatalogTool;
  /** What is sent to the tool. */
  args: JsonObject;
}

/** All checks, by what is known at this moment. What is learnt on the way goes into the notes, also where a check refuses. */
export function checkCall(
  { config, catalog, argumentChecker, servers }: Checks,
  call: ParsedCall,
  caller: Caller,
  notes: ActivityMetadata,
): Allowed {
  const { intent_declaration: intent, validate_arguments: validate } = config();
  checkNameInScope(caller.token, call.name);
  const tool = catalog.get(call.name) ?? missing({ catalog, servers }, call.name, caller);
  checkOffered(tool);
  notes.operation = tool.operation;
  checkOperationInScope(caller.token, tool);
  notes.intent = checkIntent(call.variant, call.input, intent.operation_type);
  const mismatch = checkServer(tool.name, call.variant, tool.constraint, intent.strict_server_validation);
  const { args, note } = fillUser(tool, call.args, caller.userId);
  const unchecked = validate ? checkArguments(tool, args, argumentChecker) : undefined;
  const warnings = [mismatch, note, unchecked].filter((text) => text !== undefined);
  if (warnings.length > 0) notes.warnings = warnings;
  else delete notes.warnings;
  return { tool, args };
}

/** A server that has not listed its tools yet may well have this one. */
function missing(
  { catalog, servers }: Pick<Checks, 'catalog' | 'servers'>,
  name: string,
  caller: Caller,
): never {
  const colon = name.indexOf(':');
  const server = name.slice(0, colon);
  const view = servers?.view(server);
  if (view && view.tool_count === 0 && (view.state === 'connecting' || view.state === 'failed'))
    // Why it failed may be in its own words, and nobody has accepted anything of it: the operator sees them, an agent does not.
    throw unavailable(
      { server, tool: name.slice(colon + 1) },
      { state: view.state, lastError: undefined, waitingText: waitingText(view, Date.now()) },
    );
  const nearest = catalog.nearest(name, audienceOf(caller.token));
  const hint =
    nearest.length > 0
      ? `Did you mean ${nearest.map((near) => `'${near}'`).join(', ')}?`
      : `${servers && !view ? `There is no server '${server}'. ` : ''}Use retrieve_tools to find tools.`;
  throw new ProxyError('TOOL_NOT_FOUND', `Tool '${name}' not found. ${hint}`, { tool: name, nearest });
}
