import type { Audience, CatalogTool } from '../catalog/index.ts';
import type { Identity } from '../contract/call.ts';
import { ProxyError } from '../contract/errors.ts';
import { OperationType } from '../contract/operation.ts';
import type { OperationView } from '../contract/tool.ts';
import type { TokenScope } from '../contract/token.ts';
import { glob } from '../lib/pattern.ts';

type Token = Identity['token'];

/**
 * By the name alone and before it is looked up, so that a token cannot tell a tool that it may not call from one that is not there.
 * Throws OUT_OF_SCOPE.
 */
export function checkNameInScope(token: Token, name: string): void {
  if (!token || compiled(token.scope).names(name)) return;
  throw outOfScope(token, name, 'it is not among the tools that the token is for');
}

/** The verdict on the tool against the operations of the token, whatever variant the agent chose. Throws OUT_OF_SCOPE. */
export function checkOperationInScope(token: Token, tool: Pick<CatalogTool, 'name' | 'operation'>): void {
  if (!token) return;
  const operation = scopedOperation(tool.operation);
  if (token.scope.operations.includes(operation)) return;
  throw outOfScope(token, tool.name, `it counts as ${operation}`, operation);
}

/** Both as a question. What is no full name belongs to nobody, so it is not said to be another's. */
export function isOutOfScope(token: Token, name: string, tool: CatalogTool | undefined): boolean {
  if (!token || !name.includes(':')) return false;
  const { names, audience } = compiled(token.scope);
  return !names(name) || (tool !== undefined && !audience.tool(tool));
}

/** The same for the catalogue: a token is shown what it may call, and nothing else. */
export function audienceOf(token: Token): Audience | undefined {
  return token && audienceFor(token.scope);
}

export function audienceFor(scope: TokenScope): Audience {
  return compiled(scope).audience;
}

/**
 * What a tool counts as for a token. Where nobody vouches for the operation, neither the operator nor the server, the stricter of what it
 * is held to and what it looks like: a token for reading is not a licence to guess.
 */
export function scopedOperation({ verdict, source, inferred }: OperationView): OperationType {
  if (source === 'operator' || source === 'annotation') return verdict;
  const { options } = OperationType;
  return options.indexOf(inferred) > options.indexOf(verdict) ? inferred : verdict;
}

interface Compiled {
  /** Whether anything of a server may be called, as far as its name says. */
  server: (name: string) => boolean;
  /** server:tool */
  names: (tool: string) => boolean;
  audience: Audience;
}

/** A scope never changes; its patterns are taken apart once. */
const known = new WeakMap<TokenScope, Compiled>();

function compiled(scope: TokenScope): Compiled {
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

function outOfScope(
  { name, scope }: NonNullable<Token>,
  tool: string,
  why: string,
  operation?: OperationType,
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
