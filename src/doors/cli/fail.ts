import { CommanderError } from 'commander';
import { ProxyError, toProxyError, type ErrorCode } from '../../contract/errors.ts';
import { TOOL_VARIANTS } from '../../contract/values.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { inCliWords } from './cli-words.ts';
import { withPlace } from './context.ts';
import type { Io } from './io.ts';
import type { Place } from './runtime.ts';
import { safeJson } from './output/safe-json.ts';
import { styleFor } from './output/style.ts';

/** The next step, for codes whose message does not contain one. */
const NEXT: Partial<Record<ErrorCode, string>> = {
  MISSING_INTENT: 'use "mcpproxy call tool-read|tool-write|tool-destructive", which declares the intent',
  TOOL_NOT_FOUND: 'find the tool with "mcpproxy tools search WORDS"',
  TOOL_DISABLED: 'enable it in the configuration file ("mcpproxy config path" prints its path)',
  SERVER_UNAVAILABLE: 'check the server with "mcpproxy upstream list" and "mcpproxy upstream logs NAME"',
  UPSTREAM_FAILED: 'check the log of the server with "mcpproxy upstream logs NAME"',
  UPSTREAM_TIMEOUT:
    'check whether the call took effect before you retry it; use --timeout to allow more time',
  OUTCOME_UNKNOWN: 'check whether the call took effect before you retry it',
  SERVER_BUSY: 'try again in a moment',
  OVERLOADED: 'try again in a moment',
  APPROVAL_PENDING: 'approve the call ("mcpproxy approvals list" shows it), then run the command again',
  APPROVAL_EXPIRED: 'run the command again to request a new approval',
  POLICY_REFUSED: 'see why with "mcpproxy approvals explain SERVER:TOOL"',
  UNAUTHORIZED: 'set MCPPROXY_API_KEY, or use the --data-dir of the running daemon',
  CONFIG_INVALID: 'fix the file, then check it with "mcpproxy config validate"',
  PORT_IN_USE: 'choose another address with --listen HOST:PORT',
  DATA_DIR_IN_USE: 'use the running daemon, or another directory with --data-dir',
  NO_DAEMON: 'start it with "mcpproxy serve"',
};

/** Only for arguments and options; other errors of usage say themselves what to do. */
const HELP = 'run the command with --help to see its arguments and options';

/** By where the agent token comes from. */
function withoutToken({ apiKey, env }: Pick<Place, 'apiKey'> & Pick<Io, 'env'>): string {
  const fix =
    apiKey !== undefined
      ? 'leave --api-key out'
      : env.MCPPROXY_API_KEY
        ? 'unset MCPPROXY_API_KEY'
        : 'unset MCPPROXY_TOKEN';
  return `to act as operator, ${fix} or use the operator’s key`;
}

/** Options of a program that was named without "--" in front of it. */
const DASHES =
  'put -- before the program and its arguments: mcpproxy upstream add NAME -- PROGRAM ARGUMENTS. For the options of the command itself, use --help';

function afterCommander({ code }: CommanderError, argv: readonly string[]): string {
  const isProgram = argv.includes('upstream') && (argv.includes('add') || argv.includes('test'));
  return code === 'commander.unknownOption' && isProgram && !argv.includes('--') ? DASHES : HELP;
}

function fromCommander(error: CommanderError): ProxyError {
  if (error.code === 'commander.help') return new ProxyError('USAGE', 'A command is missing');
  return new ProxyError('USAGE', error.message.replace(/^error: /, '').replace(/\n\((.*)\)$/s, '. $1'));
}

/** Prints the error to stderr and returns its exit code. `place`: the flags of the command that failed. */
export function reportError(
  io: Io,
  thrown: unknown,
  { asJson, place = {}, argv = [] }: { asJson: boolean; place?: Place | undefined; argv?: readonly string[] },
): number {
  const error = thrown instanceof CommanderError ? fromCommander(thrown) : toProxyError(thrown);
  const next =
    thrown instanceof CommanderError
      ? afterCommander(thrown, argv)
      : nextStep(error, { ...place, env: io.env, argv });
  io.err(asJson ? `${safeJson(error.toBody())}\n` : withPlace(place, readable(io, error, next)));
  return error.exitCode;
}

/** Some messages contain all of a text that was read. */
const MAX_CAUSE = 1_000;

function readable(io: Io, error: ProxyError, next: string | undefined): string {
  const { colors } = styleFor(io, 'err');
  const cause =
    error.code === 'INTERNAL' && error.cause instanceof Error
      ? `: ${error.cause.message.slice(0, MAX_CAUSE)}`
      : '';
  return [
    `${colors.red('error:')} ${visibleText(inCliWords(error) + cause)}`,
    `  ${colors.dim('code:')} ${error.code}`,
    ...(next ? [`  ${colors.dim('next:')} ${visibleText(next)}`] : []),
    ...(typeof error.details.request_id === 'string'
      ? [`  ${colors.dim('request:')} ${visibleText(error.details.request_id)}`]
      : []),
    '',
  ].join('\n');
}

/** The next step for NOT_FOUND, by the detail of the error that names the missing object. */
const NOT_FOUND_NEXT: ReadonlyArray<readonly [detail: string, next: string]> = [
  [
    'conversation_id',
    'see your conversations with "mcpproxy chat list", or leave --conversation out to start a new one',
  ],
  ['server', 'see the servers with "mcpproxy upstream list"'],
  ['token', 'see the tokens with "mcpproxy tokens list"'],
  ['approval_id', 'see the approvals with "mcpproxy approvals list"'],
];

/** The command that lists what a group of commands is about. */
const LISTS = {
  upstream: 'upstream list',
  tools: 'tools list',
  prompts: 'prompts list',
  skills: 'skills list',
  resources: 'resources list',
  grants: 'approvals grants list',
  approvals: 'approvals list',
  activity: 'activity list',
  tokens: 'tokens list',
  chat: 'chat list',
} as const;

function afterNotFound(details: ProxyError['details'], argv: readonly string[]): string | undefined {
  const named = NOT_FOUND_NEXT.find(([detail]) => typeof details[detail] === 'string');
  if (named) return named[1];
  const group = Object.entries(LISTS).find(([command]) => argv.includes(command));
  return group && `see what exists with "mcpproxy ${group[1]}"`;
}

/** Without the step that the message names already. */
function nextStep(error: ProxyError, from: Asked): string | undefined {
  const next = nextOf(error, from);
  return next !== undefined && error.message.toLowerCase().includes(next.toLowerCase()) ? undefined : next;
}

type Asked = Parameters<typeof withoutToken>[0] & { argv: readonly string[] };

function nextOf({ code, details }: ProxyError, from: Asked): string | undefined {
  if (code === 'TOKEN_NOT_ALLOWED') return withoutToken(from);
  if (code === 'NOT_FOUND') return afterNotFound(details, from.argv);
  if (code === 'INVALID_TOOL_ARGUMENTS' && typeof details.tool === 'string')
    return `see the arguments of the tool with "mcpproxy tools show ${details.tool}"`;
  // "config validate" checks another file.
  if (code === 'CONFIG_INVALID' && isOfOthers(details)) return afterOthers(details);
  const use = TOOL_VARIANTS.find((variant) => variant === details.call_with);
  if (code === 'SERVER_MISMATCH' && use && typeof details.tool === 'string') {
    return `mcpproxy call ${use.slice('call_'.length).replace('_', '-')} ${details.tool}`;
  }
  return (
    (code === 'TOOL_WITHHELD' ? reviewOf(details, from.argv) : missingArguments(details)) ??
    usualNext(code, details)
  );
}

/** A file of a client, or the data directory: the message says what to do. */
const isOfOthers = (details: ProxyError['details']): boolean =>
  ['import', 'client_file', 'dir'].some((key) => typeof details[key] === 'string');

const afterOthers = ({ import: file }: ProxyError['details']): string | undefined =>
  typeof file === 'string' ? 'correct it, then import it again' : undefined;

function usualNext(code: ErrorCode, { server }: ProxyError['details']): string | undefined {
  const next = NEXT[code];
  return typeof server === 'string' ? next?.replace('NAME', () => server) : next;
}

function missingArguments({ prompt, missing }: ProxyError['details']): string | undefined {
  if (typeof prompt !== 'string' || !Array.isArray(missing)) return undefined;
  const given = Object.fromEntries(missing.map((name) => [String(name), '…']));
  return `give ${missing.length === 1 ? 'it' : 'them'} with --args '${JSON.stringify(given)}'`;
}

function reviewOf({ tool: name }: ProxyError['details'], argv: readonly string[]): string | undefined {
  if (typeof name !== 'string') return undefined;
  const group = argv.includes('prompts') ? 'prompts' : 'tools';
  return `see what changed with "mcpproxy ${group} diff ${name}", then accept it with "mcpproxy ${group} approve ${name}"`;
}
