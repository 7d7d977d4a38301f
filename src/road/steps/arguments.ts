import { signature, type ArgumentChecker, type CatalogTool } from '../../catalog/index.ts';
import { ProxyError } from '../../contract/errors.ts';
import { isObject, withFields, type JsonObject } from '../../json/index.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import { check } from '../step.ts';

export const argumentsStep = check({
  name: 'arguments',
  does: "checks the arguments against the tool's own schema, and that a prompt has those that it requires",
  refusals: ['INVALID_TOOL_ARGUMENTS', 'INVALID_ARGUMENTS'],
  run(call, { config, argumentChecker }) {
    const { args, warning } = fillUser(call.tool, call.parsed.args, call.caller.userId);
    if (warning !== undefined) call.warn(warning);
    if (call.request.kind === 'prompt' && config().validate_arguments) checkRequired(call.tool, args);
    const unchecked = config().validate_arguments
      ? checkArguments(call.tool, args, argumentChecker)
      : undefined;
    if (unchecked !== undefined) call.warn(unchecked);
    call.args = args;
  },
});

/** A larger schema is left out of the error; describe_tool returns it. */
const MAX_SCHEMA_CHARACTERS = 16_384;

/**
 * Checks the arguments against the tool's own schema, before anything leaves the proxy. Returns a warning where they could not be checked;
 * throws INVALID_TOOL_ARGUMENTS with the problems and the schema, so that the agent can correct the call.
 */
export function checkArguments(
  { name, definition }: CatalogTool,
  args: JsonObject,
  checker: ArgumentChecker,
): string | undefined {
  const { inputSchema } = definition;
  const checked = checker.check(inputSchema, args);
  if (checked.result === 'valid') return undefined;
  if (checked.result === 'unchecked') return `the arguments were not validated: ${checked.why}`;
  const { problems } = checked;
  const small = JSON.stringify(inputSchema).length <= MAX_SCHEMA_CHARACTERS;
  const schema = small ? { inputSchema } : { hint: 'the schema is large; describe_tool returns it' };
  throw new ProxyError(
    'INVALID_TOOL_ARGUMENTS',
    // Some clients pass on the text alone, so it says what the tool takes.
    `The arguments do not match the schema of '${name}': ${problems.join('; ')}. It takes ${signature(inputSchema)}`,
    { tool: name, problems, ...schema },
  );
}

/** A prompt has no schema: it names its arguments, and says which of them it requires. */
function checkRequired({ name, definition: { source } }: CatalogTool, args: JsonObject): void {
  const named = isObject(source) && Array.isArray(source.arguments) ? source.arguments.filter(isObject) : [];
  const missing = named
    .filter(({ required }) => required === true)
    .map((argument) => String(argument.name))
    .filter((argument) => !Object.hasOwn(args, argument));
  if (missing.length === 0) return;
  const list = missing.map((argument) => `'${visibleLine(argument)}'`).join(', ');
  throw new ProxyError(
    'INVALID_ARGUMENTS',
    `Prompt '${name}' requires the ${missing.length === 1 ? 'argument' : 'arguments'} ${list}`,
    { field: 'arguments', prompt: name, missing },
  );
}

/**
 * Tools of the built-in server work on the data of one user. The caller's credential decides which user, never the arguments: a supplied
 * `user_id` is replaced, and a warning says so.
 */
export function fillUser(
  tool: CatalogTool,
  args: JsonObject,
  userId: string,
): { args: JsonObject; warning?: string } {
  if (!tool.builtin) return { args };
  const supplied = args.user_id;
  const filled = withFields(args, { user_id: userId });
  if (supplied === undefined || supplied === userId) return { args: filled };
  return { args: filled, warning: 'the supplied user_id was replaced by that of the caller' };
}
