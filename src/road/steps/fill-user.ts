import type { CatalogTool } from '../../catalog/index.ts';
import { withFields, type JsonObject } from '../../json/index.ts';

/**
 * Tools of the built-in server work on one user's data. Whose, is said by the caller's credential and never by the arguments:
 * a supplied `user_id` is replaced, and the replacement noted.
 */
export function fillUser(
  tool: CatalogTool,
  args: JsonObject,
  userId: string,
): { args: JsonObject; note?: string } {
  if (!tool.builtin) return { args };
  const supplied = args.user_id;
  const filled = withFields(args, { user_id: userId });
  if (supplied === undefined || supplied === userId) return { args: filled };
  return { args: filled, note: 'the supplied user_id was replaced by that of the caller' };
}
