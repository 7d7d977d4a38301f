import type { Audience, CatalogTool } from '../catalog/index.ts';
import type { Identity } from '../contract/call.ts';
import { ProxyError } from '../contract/errors.ts';
import { OperationType } from '../contract/operation.ts';
import type { OperationView } from '../contract/tool.ts';
import type { TokenScope } from '../contract/token.ts';
import { glob } from '../lib/pattern.ts';

export type Token = Identity['token'];

/** Whether one of the two scope checks would refuse. A name without a server is not a tool of anybody, so it is never out of scope. */
export function isOutOfScope(token: Token, name: string, tool: CatalogTool | undefined): boolean {
  if (!token || !name.includes(':')) return false;
  const { names, audience } = compiledScope(token.scope);
  return !names(name) || (tool !== undefined && !audience.tool(tool));
}

/** The same for the catalog: a token is shown the tools that it may call, and nothing else. */
export function audienceOf(token: Token): Audience | undefined {
  return token && audienceFor(token.scope);
}

export function audienceFor(scope: TokenScope): Audience {
  return compiledScope(scope).audience;
}

/**
 * The operation that a token needs for a tool. Where neither the operator nor the server states the operation, it is the stricter of the
 * verdict and the inferred operation: for tokens, unknown tools count as the stricter operation.
 */
export function scopedOperation({ verdict, source, inferred }: OperationView): OperationType {
  if (source === 'operator' || source === 'annotation') return verdict;
  const { options } = OperationType;
  return options.indexOf(inferred) > options.indexOf(verdict) ? inferred : verdict;
}

interface Compiled {
  /** Whether any tool of a server may be called, by the name of the server alone. */
  server: (name: string) => boolean;
  /** server:tool */
  names: (tool: string) => boolean;
  audience: Audience;
}

/** A scope never changes, so its patterns are compiled once. */
const known = new WeakMap<TokenScope, Compiled>();

export function compiledScope(scope: TokenScope): Compiled {
  const made = known.get(scope) ?? compile(scope);
  known.set(scope, made);
  return made;
}

function compile({ operations, servers, tools, metrics }: TokenScope): Compiled {
  const ofServers = servers?.map(glob);
  const ofTools = tools?.map((pattern) => {
    const colon = pattern.indexOf(':');
    return { server: glob(pattern.slice(0, colon)), tool: glob(pattern.slice(colon + 1)) };
  });
  const listed = (name: string) => metrics !== true && (!ofServers || ofServers.some((fits) => fits(name)));
  const server = (name: string) => listed(name) && (!ofTools || ofTools.some((each) => each.server(name)));
  const names = (name: string) => {
    const colon = name.indexOf(':');
    const [of, tool] = [name.slice(0, colon), name.slice(colon + 1)];
    return listed(of) && (!ofTools || ofTools.some((each) => each.server(of) && each.tool(tool)));
  };
  const tool: Audience['tool'] = ({ name, operation }) =>
    operations.includes(scopedOperation(operation)) && names(name);
  return { server, names, audience: { tool, server } };
}

export function outOfScope(
  { name, scope }: NonNullable<Token>,
  { tool, why, operation }: { tool: string; why: string; operation?: OperationType },
): ProxyError {
  const { operations, servers, tools } = scope;
  return new ProxyError(
    'OUT_OF_SCOPE',
    `Token '${name}' may not call '${tool}': ${why}. It may call ${sentenceOf(scope)}; ask the operator for another token if you need more`,
    {
      tool,
      token: name,
      ...(operation && { operation }),
      may_call: { operations, ...(servers && { servers }), ...(tools && { tools }) },
    },
  );
}

const MAX_NAMED = 10;

/** "read and write tools of github, files, among github:list_*". */
export function sentenceOf({ operations, servers, tools, metrics }: TokenScope): string {
  if (metrics) return 'nothing';
  const kinds = operations.length === OperationType.options.length ? '' : `${operations.join(' and ')} `;
  return [
    `${kinds}tools`,
    ...(servers ? [`of ${shortList(servers)}`] : []),
    ...(tools ? [`among ${shortList(tools)}`] : []),
  ].join(' ');
}

function shortList(names: string[]): string {
  const more = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
