import type { CatalogTool } from '../../catalog/index.ts';
import { durationMs } from '../../contract/config.ts';
import { ProxyError } from '../../contract/errors.ts';
import { variantFor } from '../../contract/operation.ts';
import { waitingText, type ServerState } from '../../contract/status.ts';
import { unavailable } from '../../upstream/index.ts';
import type { CallContext } from '../context.ts';
import type { ItemKind } from '../../contract/item.ts';
import type { OperationView } from '../../contract/tool.ts';
import { proxiedUri } from '../../lib/resource-uri.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import { audienceOf, isOutOfScope } from '../scope.ts';
import { type CheckParts, type Step, check } from '../step.ts';

/** The rest of its time remains for the call itself, and lets the answer arrive before the client gives up. */
const SHARE = 0.8;

/** A call that arrives while its server starts is answered by the server where the time suffices; otherwise the next steps say why not. */
export const serverStart: Step = {
  name: 'server start',
  does: 'waits while the server of the tool is starting, for a part of the time that the call has',
  refusals: ['CANCELLED', 'SERVER_BUSY'],
  span: 'server start',
  run(call, { servers, config }) {
    const { signal, timeoutMs = Infinity } = call.request;
    const { server, tool } = call.parsed;
    const limitMs = () => SHARE * Math.min(timeoutMs, durationMs(config().call_timeout));
    const starting = servers?.whenStarted?.(server, limitMs, signal);
    if (!starting) return undefined;
    const since = performance.now();
    return starting.then(() => {
      call.startWaitMs = performance.now() - since;
      if (signal.aborted)
        throw new ProxyError(
          'CANCELLED',
          `The call of '${tool}' on server '${server}' was cancelled before it was sent`,
          {
            server,
            tool,
            sent: false,
          },
        );
    });
  },
};

export const lookUp = check({
  name: 'look-up',
  does: 'finds the tool, prompt or resource in the catalog, as its server last listed it; refuses a URI in another spelling than its normal form',
  refusals: [
    'TOOL_NOT_FOUND',
    'PROMPT_NOT_FOUND',
    'RESOURCE_NOT_FOUND',
    'SERVER_UNAVAILABLE',
    'INVALID_ARGUMENTS',
  ],
  run(call, parts) {
    call.tool = targetOf(call, parts) ?? notFound(call, parts);
    checkSpelling(call, parts);
    if (call.needsVerdict) takeVerdict(call);
  },
});

/**
 * Servers take different spellings for the same resource, so a rule for one of them must hold for all: one is accepted, the others are
 * refused. To unsubscribe is always possible.
 */
function checkSpelling({ parsed, request, caller }: CallContext, { items }: CheckParts): void {
  const { server, tool: uri, item } = parsed;
  if (!items || item !== 'resource' || request.kind === 'unsubscribe') return;
  const proper = items.properUri(server, uri);
  if (proper === uri) return;
  const isShown = proper !== undefined && !isOutOfScope(caller.token, `${server}:${proper}`, undefined);
  const shown = isShown ? visibleLine(proxiedUri(server, proper).slice(0, 300)) : undefined;
  const instead =
    shown === undefined ? 'Use a URI of resources/list' : `Use '${shown}', if that is what you mean`;
  throw new ProxyError(
    'INVALID_ARGUMENTS',
    `The URI '${visibleLine(uri.slice(0, 200))}' is not in its normal form: a scheme in lower case, and no fragment, dot segments, empty segments or needless escapes. ${instead}`,
    { field: 'uri', ...(shown !== undefined && { normal_form: shown }) },
  );
}

/** A call in direct mode declares no operation: the verdict on its tool is both keys. */
function takeVerdict(call: CallContext): void {
  call.operation = call.tool.operation.verdict;
  call.needsVerdict = false;
  if (call.operation !== call.request.operation) call.notes.tool_variant = variantFor(call.operation);
}

/** What a request is for, as its server last listed it: a tool, or a prompt, resource or template in the same form. */
export function targetOf(
  { parsed: { name, server, tool, item } }: CallContext,
  { catalog, items, servers }: CheckParts,
): CatalogTool | undefined {
  if (item === undefined) return catalog.get(name);
  const listed = items?.[item].get(name);
  if (listed || item !== 'resource') return listed;
  // Templates and results name resources that are in no list; whether one exists is for its server to say.
  return servers?.view(server) && items?.unlisted(server, tool);
}

const UNLISTED: readonly ServerState[] = ['connecting', 'failed', 'needs_login'];

/** A server that has not listed its tools yet may have this one. */
function notFound({ parsed: { name, server, tool, item }, caller }: CallContext, parts: CheckParts): never {
  const { catalog, servers } = parts;
  const view = servers?.view(server);
  if (view && view.tool_count === 0 && UNLISTED.includes(view.state))
    // The reason for the failure may quote the server, which nobody has accepted yet: the operator sees it, an agent does not.
    throw unavailable(
      { server, tool },
      { state: view.state, lastError: undefined, waitingText: waitingText(view, Date.now()) },
    );
  if (item !== undefined) throw itemNotFound(name, item, parts);
  const nearest = catalog.nearest(name, audienceOf(caller.token));
  const hint =
    nearest.length > 0
      ? `Did you mean ${nearest.map((near) => `'${near}'`).join(', ')}?`
      : `${servers && !view ? `There is no server '${server}'. ` : ''}Use retrieve_tools to find tools.`;
  throw new ProxyError('TOOL_NOT_FOUND', `Tool '${name}' not found. ${hint}`, { tool: name, nearest });
}

const ITEM_LISTS = {
  prompt: 'prompts/list',
  resource: 'resources/list',
  template: 'resources/templates/list',
  skill: 'skills/list',
};

function itemNotFound(name: string, item: ItemKind, { servers }: CheckParts): ProxyError {
  const server = name.slice(0, name.indexOf(':'));
  const hint = servers && !servers.view(server) ? `There is no server '${server}'. ` : '';
  const shown = visibleLine(name.slice(0, 200));
  const code = item === 'prompt' ? 'PROMPT_NOT_FOUND' : 'RESOURCE_NOT_FOUND';
  const text = `${NOUN[item]} '${shown}' not found. ${hint}${ITEM_LISTS[item]} has what can be used.`;
  return new ProxyError(code, text, { [item]: shown });
}

const NOUN = { prompt: 'Prompt', resource: 'Resource', template: 'Template', skill: 'Skill' };

export const offered = check({
  name: 'offered',
  does: 'checks that the tool, prompt or resource is neither switched off nor withheld, nor the skill that a file belongs to',
  refusals: ['TOOL_DISABLED', 'TOOL_WITHHELD'],
  run({ tool, notes, parsed: { item, server, tool: uri } }, { items }) {
    notes.operation = item === undefined ? tool.operation : itemOperation(item);
    checkOffered(tool, item === undefined ? 'Tool' : NOUN[item]);
    const file = item === 'resource' ? items?.skillFile(server, uri) : undefined;
    const skill = file && items?.skill.get(file.skill);
    if (skill) checkOffered(skill, NOUN.skill);
  },
});

/** No annotation says so: the protocol does. */
function itemOperation(item: ItemKind): OperationView {
  const reason = `the protocol defines that getting a ${item} changes nothing`;
  return { verdict: 'read', source: 'default', inferred: 'read', reason };
}

/** The errors reveal nothing about the tool beyond the name that the caller sent. */
function checkOffered({ name, enabled, withheld }: CatalogTool, noun: string): void {
  if (!enabled)
    throw new ProxyError('TOOL_DISABLED', `${noun} '${name}' is switched off by the operator`, {
      tool: name,
    });
  if (withheld) {
    throw new ProxyError('TOOL_WITHHELD', `${noun} '${name}' is withheld until the operator approves it`, {
      tool: name,
    });
  }
}
