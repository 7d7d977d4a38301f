import type { CatalogTool } from '../../../catalog/index.ts';
import type { Identity } from '../../../contract/call.ts';
import { paramHeaders, type ParamHeader } from '../../../lib/param-headers.ts';
import { isOutOfScope } from '../../../road/index.ts';

/** The parameters of a tool of direct mode that its caller has to repeat as HTTP headers. */
export type DeclaredHeaders = (name: unknown, identity: Identity) => readonly ParamHeader[];

const NONE: readonly ParamHeader[] = [];

/** None for a tool that the caller is not shown: the road refuses the call, and a header must not tell that there is such a tool. */
export function createDeclaredHeaders(
  menu: { resolve(name: string): string | undefined },
  catalog: { get(name: string): CatalogTool | undefined },
): DeclaredHeaders {
  /** A judged tool never changes. */
  const known = new WeakMap<CatalogTool, readonly ParamHeader[]>();
  return (name, { token }) => {
    const full = typeof name === 'string' ? menu.resolve(name) : undefined;
    const tool = full === undefined ? undefined : catalog.get(full);
    if (!tool?.offered || isOutOfScope(token, tool.name, tool)) return NONE;
    const before = known.get(tool);
    if (before) return before;
    const declared = paramHeaders(tool.definition.inputSchema);
    // No client offers a tool with invalid declarations with headers.
    const made = Array.isArray(declared) ? declared : NONE;
    known.set(tool, made);
    return made;
  };
}
