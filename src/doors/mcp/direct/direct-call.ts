import type { CatalogTool } from '../../../catalog/index.ts';
import type { CallResult } from '../../../contract/call.ts';
import { ProxyError } from '../../../contract/errors.ts';
import type { CallRequest } from '../../../road/index.ts';
import type { ToolRequest } from '../calls.ts';
import { errorBesideSchema, errorResult } from '../error-result.ts';
import { directName } from './direct-name.ts';

interface DirectParts {
  catalog: { get(name: string): CatalogTool | undefined };
  menu?: { resolve(name: string): string | undefined };
}

/** `server:tool` where a tool of a server is called by its name in direct mode, by a client that is in this mode. */
function targetOf({ menu }: DirectParts, { name, mode = 'search' }: ToolRequest): string | undefined {
  return mode === 'search' ? undefined : menu?.resolve(name);
}

export function isDirect(parts: DirectParts, request: ToolRequest): boolean {
  return targetOf(parts, request) !== undefined;
}

/**
 * The request to the road. The caller declares no operation, so the verdict on the tool is taken. Of a tool that is not known yet, as its
 * server is starting, the record assumes the worst until the road has found the tool.
 */
export function directCall(
  parts: DirectParts,
  request: ToolRequest,
): Pick<CallRequest, 'operation' | 'input' | 'intentSource'> | undefined {
  const name = targetOf(parts, request);
  if (name === undefined) return undefined;
  const operation = parts.catalog.get(name)?.operation.verdict ?? 'destructive';
  return { operation, intentSource: 'verdict', input: { name, args: request.arguments } };
}

/** The error in the names that the caller uses. */
export function directError(parts: DirectParts, request: ToolRequest, cause: ProxyError): CallResult {
  const error = cause.code === 'TOOL_NOT_FOUND' ? notFound(request.name, cause) : cause;
  const tool = parts.catalog.get(targetOf(parts, request)!);
  return tool?.definition.outputSchema ? errorBesideSchema(error) : errorResult(error);
}

function notFound(name: string, { details }: ProxyError): ProxyError {
  const shown = name.slice(0, 200);
  const nearest = Array.isArray(details.nearest) ? details.nearest.map((near) => nameOf(String(near))) : [];
  const hint =
    nearest.length > 0
      ? `Did you mean ${nearest.map((near) => `'${near}'`).join(', ')}?`
      : 'tools/list has the tools that can be called.';
  return new ProxyError('TOOL_NOT_FOUND', `Tool '${shown}' not found. ${hint}`, { tool: shown, nearest });
}

function nameOf(full: string): string {
  const colon = full.indexOf(':');
  return directName(full.slice(0, colon), full.slice(colon + 1));
}
