import { ProxyError } from '../../contract/errors.ts';
import {
  DOOR_LIMITS,
  LONG_TEXT,
  MAX_JSON_DEPTH,
  atOnce,
  inTurn,
  isObject,
  keepSource,
  readJsonSteps,
  sourceOf,
  tooWideText,
  valueExceedsDepth,
  type JsonFault,
  type JsonObject,
  type Steps,
} from '../../json/index.ts';
import type { ParsedCall } from '../context.ts';
import type { Step } from '../step.ts';
import { targetOf } from './look-up.ts';
import { traceTool } from '../trace-call.ts';

export const parse: Step = {
  name: 'parse',
  does: 'checks that name, arguments and intent are well formed; finds the server of a resource by its URI',
  refusals: ['INVALID_ARGUMENTS', 'TOO_DEEP', 'PAYLOAD_TOO_LARGE', 'RESOURCE_NOT_FOUND'],
  run(call, parts) {
    const { parsed, parseError, caller } = call;
    if (!parsed) throw parseError;
    if (caller.trace) traceTool(caller.trace, targetOf(call, parts));
  },
  preview(call) {
    call.parsed = parseCall(call.request.input);
  },
};

const NAME_MAX_LENGTH = 512;

/** Parses what came through a door. Every error says what is wrong and what to send instead. */
export function parseCall(input: unknown): ParsedCall {
  return atOnce(parseCallSteps(input));
}

/** The same in steps, for a call of any length. */
function* parseCallSteps(input: unknown): Steps<ParsedCall> {
  if (!isObject(input))
    throw invalid(
      'arguments must be an object with "name" and, where needed, "args_json" or "args"',
      'arguments',
    );
  const { name, server, tool } = parseName(input.name);
  return { name, server, tool, args: yield* parseArgs(input), input };
}

export type ReadCall = { value: ParsedCall; error?: never } | { value?: never; error: unknown };

/**
 * The call, or the error in it; a long one is parsed in turns with others. It is read once, before the record is opened, because the record
 * holds the arguments; the error is reported once the record is open.
 */
export function readCall(input: unknown): ReadCall | Promise<ReadCall> {
  if (isLong(input))
    return inTurn(parseCallSteps(input)).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
  try {
    return { value: parseCall(input) };
  } catch (error) {
    return { error };
  }
}

/** Whether parsing it would delay other callers. */
const isLong = (input: unknown): boolean =>
  isObject(input) && typeof input.args_json === 'string' && input.args_json.length > LONG_TEXT;

export function parseName(name: unknown, noun = 'tool'): { name: string; server: string; tool: string } {
  if (typeof name !== 'string' || name === '') throw invalid(`name is required, as "server:${noun}"`, 'name');
  if (name.length > NAME_MAX_LENGTH)
    throw invalid(`name is longer than ${NAME_MAX_LENGTH} characters`, 'name');
  if (/[\u0000-\u001f\u007f-\u009f]/.test(name)) throw invalid('name contains control characters', 'name');
  const colon = name.indexOf(':');
  if (colon < 1 || colon === name.length - 1) {
    throw invalid(
      `name must be "server:${noun}", got ${JSON.stringify(name)}; ${noun === 'tool' ? 'retrieve_tools' : `${noun}s/list`} gives the full names`,
      'name',
    );
  }
  return { name, server: name.slice(0, colon), tool: name.slice(colon + 1) };
}

function* parseArgs(input: JsonObject): Steps<JsonObject> {
  const { args, args_json: text } = input;
  // Models send empty strings for optional text parameters; that is "no arguments".
  const hasText = text !== undefined && text !== null && text !== '';
  const hasArgs = args !== undefined && args !== null;
  if (hasText && hasArgs) throw invalid('give either args or args_json, not both', 'args_json');
  // Some clients parse every text that looks like JSON, and send the object.
  if (hasText) return isObject(text) ? shallow(text, 'args_json') : yield* fromText(text);
  if (!hasArgs) return {};
  if (!isObject(args)) throw invalid(`args must be an object, got ${kind(args)}`, 'args');
  return shallow(args, 'args');
}

function shallow(value: JsonObject, field: string): JsonObject {
  // Depth was checked when the text was parsed.
  if (sourceOf(value) === undefined && valueExceedsDepth(value)) throw tooDeep(field);
  return value;
}

function* fromText(text: unknown): Steps<JsonObject> {
  if (typeof text !== 'string')
    throw invalid(
      `args_json must be a string with a JSON object, or the object itself, got ${kind(text)}`,
      'args_json',
    );
  const read = yield* readJsonSteps(text);
  if (!('value' in read)) throw faulty(read);
  const { value } = read;
  if (!isObject(value)) throw invalid(`args_json must hold a JSON object, got ${kind(value)}`, 'args_json');
  keepSource(value, text);
  return value;
}

function faulty(read: JsonFault): ProxyError {
  switch (read.fault) {
    case 'too deep':
      return tooDeep('args_json');
    case 'too wide':
      return new ProxyError('PAYLOAD_TOO_LARGE', `args_json ${tooWideText(DOOR_LIMITS)}`, { ...DOOR_LIMITS });
    case 'repeated key':
      return invalid(
        `an object in args_json has the key ${JSON.stringify(read.key.slice(0, 100))} twice`,
        'args_json',
      );
    case 'invalid':
    default:
      return invalid(`args_json is not valid JSON: ${read.error.message}`, 'args_json');
  }
}

function kind(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object';
  return `a ${typeof value}`;
}

function invalid(message: string, field: string): ProxyError {
  return new ProxyError('INVALID_ARGUMENTS', message, { field });
}

function tooDeep(field: string): ProxyError {
  return new ProxyError('TOO_DEEP', `${field} is nested deeper than ${MAX_JSON_DEPTH} levels`, {
    field,
    limit: MAX_JSON_DEPTH,
  });
}
