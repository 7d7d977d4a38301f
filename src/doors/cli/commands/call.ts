import { Option, type Command } from 'commander';
import { Duration, durationMs } from '../../../contract/config.ts';
import { EXIT, ProxyError } from '../../../contract/errors.ts';
import {
  DataSensitivity,
  REASON_MAX_LENGTH,
  OperationType,
  variantFor,
} from '../../../contract/operation.ts';
import { contentText } from '../output/content.ts';
import { hint, print, withProxy, type Context, type Reached } from '../context.ts';
import { checked, choice, define, type Bind } from '../define.ts';
import { readArgs } from './read-args.ts';
import type { RouteInput, RouteOutput } from '../../../contract/routes/api.ts';
import { visibleLine } from '../../../lib/visible-text.ts';
import { styleFor } from '../output/style.ts';

interface CallFlags {
  args?: string;
  reason?: string;
  sensitivity?: DataSensitivity;
  timeout?: string;
  toolName?: string;
  json_args?: string;
}

/** Waiting ends with the proxy's own time limit; this is for a proxy that has stopped answering altogether. */
const LONGEST_CALL_MS = 24 * 3_600_000;
const GRACE_MS = 15_000;

const EXAMPLES: Record<OperationType, string[]> = {
  read: [
    "mcpproxy call tool-read tasks:list_tasks --args '{}'",
    'mcpproxy call tool-read files:read_file --args @request.json -o json',
    'echo \'{"path": "notes.txt"}\' | mcpproxy call tool-read files:read_file --args -',
  ],
  write: [
    'mcpproxy call tool-write tasks:add_task --args \'{"description": "Buy milk"}\'',
    'mcpproxy call tool-write github:create_issue --args @issue.json --reason "Creating bug report"',
  ],
  destructive: [
    'mcpproxy call tool-destructive tasks:delete_task --args \'{"task_id": "TASK_ID"}\' --reason "No longer needed"',
    'mcpproxy call tool-destructive github:delete_repo --args \'{"repo": "test"}\' --sensitivity private --reason "User confirmed deletion"',
  ],
};

const SUMMARY: Record<OperationType, string> = {
  read: 'Call a tool that only looks',
  write: 'Call a tool that creates or changes something',
  destructive: 'Call a tool that deletes or cannot be undone',
};

export function call(bind: Bind): Command {
  return define('call', {
    summary: 'Call a tool, with the intent that the command names',
    examples: [EXAMPLES.read[0]!, EXAMPLES.write[0]!, EXAMPLES.destructive[0]!],
    subcommands: OperationType.options.map((operation) => callTool(operation, bind)),
  });
}

function callTool(operation: OperationType, bind: Bind): Command {
  return define(`tool-${operation}`, { summary: SUMMARY[operation], examples: EXAMPLES[operation] })
    .argument('[server:tool]', 'the tool, as "tools list" and "tools search" name it')
    .option('--args <json>', 'arguments as a JSON object, @file, or - for stdin')
    .option('--reason <text>', `why, for the activity log (up to ${REASON_MAX_LENGTH} characters)`)
    .addOption(choice('--sensitivity <level>', 'how sensitive the data is', DataSensitivity.options))
    .addOption(checked('--timeout <duration>', 'give up after this time, as in 30s or 5m', Duration))
    .addOption(new Option('-t, --tool-name <server:tool>', 'the same as the argument'))
    .addOption(new Option('-j, --json_args <json>', 'the same as --args'))
    .action(bind<CallFlags>((context, flags, name) => runCall(context, operation, { ...flags, name })));
}

async function runCall(
  context: Context,
  operation: OperationType,
  flags: CallFlags & { name: string | undefined },
): Promise<number> {
  const name = one('the tool', flags.name, flags.toolName);
  if (name === undefined)
    throw new ProxyError('USAGE', `name the tool, as in "mcpproxy call tool-${operation} server:tool"`);
  const args = one('the arguments', flags.args, flags.json_args);
  const { reason, sensitivity, timeout } = flags;
  const body = {
    tool_variant: variantFor(operation),
    name,
    // As it is typed: the proxy reads it, passes it on unaltered, and records what it refuses.
    ...(args !== undefined && { args_json: await readArgs(context.io, args) }),
    intent: {
      operation_type: operation,
      ...(sensitivity && { data_sensitivity: sensitivity }),
      ...(reason !== undefined && { reason }),
    },
    ...(timeout && { timeout }),
  };
  const limitMs = Math.min(timeout ? durationMs(timeout) + GRACE_MS : LONGEST_CALL_MS, LONGEST_CALL_MS);
  const result = await withProxy(context, 'daemon-or-embedded', (reached) =>
    callUntilDecided(context, reached, { body, limitMs }),
  );
  await print(context, result, () => contentText(result));
  if (result.isError !== true) return EXIT.ok;
  hint(context, `the tool ${name} reported an error`);
  return EXIT.general;
}

/** The documented way and its alias; saying two different things is a mistake to point out. */
function one(what: string, value: string | undefined, alias: string | undefined): string | undefined {
  if (value !== undefined && alias !== undefined && value !== alias)
    throw new ProxyError('USAGE', `two different values for ${what}: '${value}' and '${alias}'`);
  return value ?? alias;
}

type Body = RouteInput<'callTool'>['body'];

/** Long enough for a call that nobody is asked about, short enough that the person at the terminal hears soon why nothing happens. */
const FIRST_WAIT = '1s';

/** A call that waits for a person is made again until it is decided. Without a daemon nobody could decide meanwhile, so it ends at once. */
async function callUntilDecided(
  context: Context,
  { request, embedded }: Reached,
  { body, limitMs }: { body: Body; limitMs: number },
): Promise<RouteOutput<'callTool'>> {
  let told: unknown;
  for (;;) {
    const wait = told === undefined ? { approval_wait: embedded ? '1ms' : FIRST_WAIT } : {};
    try {
      return await request('callTool', { body: { ...body, ...wait } }, limitMs);
    } catch (error) {
      if (embedded || !(error instanceof ProxyError) || error.code !== 'APPROVAL_PENDING') throw error;
      const { approval_id: id } = error.details;
      if (id !== told) tell(context, error);
      told = id;
    }
  }
}

/** On stderr in every output format: it is no result, and without it the command would seem to hang. */
function tell({ io }: Context, { details }: ProxyError): void {
  const { colors } = styleFor(io, 'err');
  const [id, expiry] = [visibleLine(String(details.approval_id)), visibleLine(String(details.expires_at))];
  io.err(
    colors.dim(`waiting for approval ${id} until ${expiry}; decide with: mcpproxy approvals approve ${id}\n`),
  );
}
