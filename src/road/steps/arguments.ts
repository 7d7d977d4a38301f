import type { ArgumentChecker, CatalogTool } from '../../catalog/index.ts';
import { ProxyError } from '../../contract/errors.ts';
import type { JsonObject } from '../../json/index.ts';
import type { Check } from '../step.ts';
import { fillUser } from './fill-user.ts';

export const argumentsStep: Check = {
  name: 'arguments',
  does: "the arguments against the tool's own schema",
  refusals: ['INVALID_TOOL_ARGUMENTS'],
  run(call, { config, argumentChecker }) {
    const { args, note } = fillUser(call.tool, call.parsed.args, call.caller.userId);
    if (note !== undefined) call.warn(note);
    const unchecked = config().validate_arguments
      ? checkArguments(call.tool, args, argumentChecker)
      : undefined;
    if (unchecked !== undefined) call.warn(unchecked);
    call.args = args;
  },
};

/** A larger schema is not repeated in an error; describe_tool brings it. */
const MAX_SCHEMA_CHARACTERS = 16_384;

/**
 * The arguments against the tool's own schema, before anything leaves the proxy. Gives a warning where they could not be checked;
 * throws INVALID_TOOL_ARGUMENTS with what is wrong and with the schema, so that the agent can correct itself.
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
  const schema = small ? { inputSchema } : { hint: 'the schema is large; describe_tool brings it' };
  throw new ProxyError(
    'INVALID_TOOL_ARGUMENTS',
    `The arguments do not fit '${name}': ${problems.join('; ')}`,
    { tool: name, problems, ...schema },
  );
}
