import { Option, type Command } from 'commander';
import { durationMs } from '../../../contract/config.ts';
import { EXIT, ProxyError } from '../../../contract/errors.ts';
import { REASON_MAX_LENGTH, variantFor, type OperationType } from '../../../contract/operation.ts';
import { DATA_SENSITIVITIES, OPERATION_TYPES } from '../../../contract/values.ts';
import { contentText } from '../output/content.ts';
import { hint, print, withPlace, withProxy, type Context, type Reached } from '../context.ts';
import { checked, choice, define, type Bind } from '../define.ts';
import { readArgs } from './read-args.ts';
import type { RouteInput, RouteOutput } from '../../../contract/routes/api.ts';
import { editDistance } from '../../../lib/edit-distance.ts';
import { visibleLine } from '../../../lib/visible-text.ts';
import { styleFor } from '../output/style.ts';

interface CallFlags {
  args?: string;
  reason?: string;
  sensitivity?: string;
  timeout?: string;
  toolName?: string;
  json_args?: string;
}

/** The proxy limits the time of a call itself; this limit is for a proxy that no longer answers. */
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
  read: 'Call a tool that only reads data',
  write: 'Call a tool that creates or changes data',
  destructive: 'Call a tool that deletes data or cannot be undone',
};

export function call(bind: Bind): Command {
  const command = define('call', {
    summary: 'Call a tool with the intent that the subcommand declares',
    examples: [EXAMPLES.read[0]!, EXAMPLES.write[0]!, EXAMPLES.destructive[0]!],
    subcommands: OPERATION_TYPES.map((operation) => callTool(operation, bind)),
  });
  // Called instead of commander's own error, which would say only that the command is unknown.
  return command.on('command:*', ([given = '', tool = 'server:tool']: string[]) => {
    throw new ProxyError('USAGE', unknownCall(given, tool));
  });
}

const MAX_TYPOS = 2;

/** `call tool`, as other proxies have it, does not say what the call does. */
function unknownCall(given: string, tool: string): string {
  const names = OPERATION_TYPES.map((operation) => `tool-${operation}`);
  const near = names.find((name) => editDistance(given, name, MAX_TYPOS) <= MAX_TYPOS);
  if (near) return `unknown command '${visibleLine(given)}'. Did you mean ${near}?`;
  const all = names.map((name) => `mcpproxy call ${name} ${visibleLine(tool)}`);
  return `There is no "call ${visibleLine(given)}": the command says what the call does. Use ${all.join(', ')}`;
}

const SENSITIVITY = () => choice('--sensitivity <level>', 'how sensitive the data is', DATA_SENSITIVITIES);

function callTool(operation: OperationType, bind: Bind): Command {
  return (
    define(`tool-${operation}`, { summary: SUMMARY[operation], examples: EXAMPLES[operation] })
      .argument('[server:tool]', 'the tool, as printed by "tools list" and "tools search"')
      .option('--args <json>', 'arguments as a JSON object, @file, or - for stdin')
      .option(
        '--reason <text>',
        `reason for the call, for the activity log (up to ${REASON_MAX_LENGTH} characters)`,
      )
      // Any value is sent: the proxy refuses a wrong one with the error and the record that every client gets.
      .addOption(SENSITIVITY().argParser((text: string) => text))
      .addOption(
        checked(
          '--timeout <duration>',
          'time limit of the call, for example 30s or 5m',
          ({ Duration }) => Duration,
        ),
      )
      .addOption(new Option('-t, --tool-name <server:tool>', 'same as the argument'))
      .addOption(new Option('-j, --json_args <json>', 'same as --args'))
      .action(bind<CallFlags>((context, flags, name) => runCall(context, operation, { ...flags, name })))
  );
}

async function runCall(
  context: Context,
  operation: OperationType,
  flags: CallFlags & { name: string | undefined },
): Promise<number> {
  const name = valueOf('the tool', flags.name, flags.toolName);
  if (name === undefined)
    throw new ProxyError('USAGE', `Name the tool, for example "mcpproxy call tool-${operation} server:tool"`);
  const args = valueOf('the arguments', flags.args, flags.json_args);
  const { reason, sensitivity, timeout } = flags;
  const body = {
    tool_variant: variantFor(operation),
    name,
    // Sent as typed: the proxy parses it, forwards it unchanged, and records it if it is refused.
    ...(args !== undefined && { args_json: await readArgs(context.io, args) }),
    intent: {
      operation_type: operation,
      ...(sensitivity !== undefined && { data_sensitivity: sensitivity }),
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
  hint(context, `The tool ${name} returned an error.`);
  return EXIT.general;
}

/** The value of a flag or its alias. Two different values are an error. */
function valueOf(what: string, value: string | undefined, alias: string | undefined): string | undefined {
  if (value !== undefined && alias !== undefined && value !== alias)
    throw new ProxyError('USAGE', `Two different values for ${what}: '${value}' and '${alias}'`);
  return value ?? alias;
}

type Body = RouteInput<'callTool'>['body'];

/** Long enough for a call without approval, short enough to tell the person soon that the call waits. */
const FIRST_WAIT = '1s';
/** The proxy answers earlier: when the request is decided, when it expires, or when the proxy stops. */
const LONGEST_WAIT = `${LONGEST_CALL_MS}ms`;

/**
 * Sends a call that waits for approval a second time, and that request waits until the call is decided: every further request would be one
 * more record of the same call. Without a daemon nobody can decide, so it fails immediately.
 */
async function callUntilDecided(
  context: Context,
  { request, embedded }: Reached,
  { body, limitMs }: { body: Body; limitMs: number },
): Promise<RouteOutput<'callTool'>> {
  const approval_wait = embedded ? '1ms' : FIRST_WAIT;
  try {
    return await request('callTool', { body: { ...body, approval_wait } }, limitMs);
  } catch (error) {
    if (embedded || !(error instanceof ProxyError) || error.code !== 'APPROVAL_PENDING') throw error;
    announceWait(context, error);
  }
  const waiting = { ...body, approval_wait: LONGEST_WAIT };
  return request('callTool', { body: waiting }, LONGEST_CALL_MS + limitMs);
}

/** Printed to stderr in every output format, because the command would seem to hang without it. */
function announceWait({ io, place }: Context, { details }: ProxyError): void {
  const { colors } = styleFor(io, 'err');
  const [id, expiry] = [visibleLine(String(details.approval_id)), visibleLine(String(details.expires_at))];
  io.err(
    colors.dim(
      withPlace(
        place,
        `Waiting for approval ${id} until ${expiry}. Approve the call with: mcpproxy approvals approve ${id}\n`,
      ),
    ),
  );
}
