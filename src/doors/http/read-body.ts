import { ProxyError } from '../../contract/errors.ts';
import { TextCollector, paced, type AskRoom, type Place } from '../../load/index.ts';
import {
  DOOR_LIMITS,
  LONG_TEXT,
  MAX_JSON_DEPTH,
  inTurn,
  keepSourceAt,
  readJson as read,
  readJsonSteps,
  tooWideText,
  type JsonFault,
} from '../../json/index.ts';

export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** The body as JSON. Type, size and depth are checked before anything is parsed. */
export async function readJson(
  request: Request,
  { limit = MAX_BODY_BYTES, room }: { limit?: number; room?: AskRoom | undefined } = {},
): Promise<unknown> {
  checkContentType(request);
  const place = room && placeOf(room);
  try {
    return await readValue(await readText(request, limit, place));
  } finally {
    place?.leave();
  }
}

/** Where a route takes no body: nothing, or an empty object. What a caller puts in one must not be ignored. */
export async function requireNoBody(request: Request, parameters: readonly string[]): Promise<void> {
  if (request.headers.has('content-type')) checkContentType(request);
  if (await isEmpty(request)) return;
  const instead = parameters.length > 0 ? `pass ${parameters.join(', ')} as query parameters` : 'send none';
  throw new ProxyError('INVALID_REQUEST', `This route takes no body; ${instead}`, {
    in: 'body',
    parameter: 'body',
    ...(parameters.length > 0 && { query: parameters }),
  });
}

const MAX_EMPTY_BYTES = 1024;

async function isEmpty(request: Request): Promise<boolean> {
  try {
    return /^\s*(?:\{\s*\}\s*)?$/.test(await readText(request, MAX_EMPTY_BYTES, undefined));
  } catch (error) {
    // Too long, or no text: in any case something.
    if (error instanceof ProxyError) return false;
    throw error;
  }
}

async function readValue(text: string): Promise<unknown> {
  if (text.trim() === '')
    throw new ProxyError('INVALID_JSON', 'The body is empty; a JSON object is expected');
  const body = text.length > LONG_TEXT ? await inTurn(readJsonSteps(text)) : read(text);
  if (!('value' in body)) throw faulty(body);
  keepSourceAt(body.value, text, ['args'], body.ends);
  keepSourceAt(body.value, text, ['args_json'], body.ends);
  return body.value;
}

/** The place of a body that may turn out to be long. */
function placeOf(room: AskRoom) {
  let place: Place | undefined;
  return {
    /** Waits for room, once. */
    async enter(bytes: number): Promise<void> {
      if (place) return;
      place = room(bytes);
      if (await place.ready) return;
      const message = 'Too many long bodies wait to be read: send it again in a second';
      throw new ProxyError('OVERLOADED', message, { retry_after_s: 1 });
    },
    arrived: () => place?.arrived(),
    leave: () => place?.leave(),
  };
}

function faulty(body: JsonFault): ProxyError {
  switch (body.fault) {
    case 'too deep':
      return new ProxyError('TOO_DEEP', `The body is nested deeper than ${MAX_JSON_DEPTH} levels`, {
        limit: MAX_JSON_DEPTH,
      });
    case 'too wide':
      return new ProxyError('PAYLOAD_TOO_LARGE', `The body ${tooWideText(DOOR_LIMITS)}`, { ...DOOR_LIMITS });
    case 'repeated key': {
      const key = body.key.slice(0, 100);
      const message = `An object in the body has the key ${JSON.stringify(key)} twice`;
      return new ProxyError('INVALID_REQUEST', message, { in: 'body', parameter: key });
    }
    case 'invalid':
    default:
      return new ProxyError('INVALID_JSON', `The body is not valid JSON: ${withoutText(body.error)}`);
  }
}

/** Also where no body is expected: what a plain HTML form can send is refused everywhere. */
function checkContentType(request: Request): void {
  const given = request.headers.get('content-type');
  const type = given?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/json') return;
  if (type === undefined && request.body === null) return;
  throw new ProxyError(
    'UNSUPPORTED_MEDIA_TYPE',
    'Send the body as JSON, with the header "Content-Type: application/json"',
    { got: type ?? null },
  );
}

async function readText(
  request: Request,
  limit: number,
  place: ReturnType<typeof placeOf> | undefined,
): Promise<string> {
  const announced = Number(request.headers.get('content-length'));
  if (announced > limit) throw tooLarge(limit);
  if (announced > LONG_TEXT) await place?.enter(announced);
  const reader = request.body?.getReader();
  const text = new TextCollector();
  let size = 0;
  for (let part = await reader?.read(); part && !part.done; part = await reader!.read()) {
    size += part.value.byteLength;
    if (size > limit) {
      await reader!.cancel();
      throw tooLarge(limit);
    }
    if (size > LONG_TEXT) {
      await place?.enter(Infinity);
      await paced(part.value.byteLength);
    }
    text.add(Buffer.from(part.value.buffer, part.value.byteOffset, part.value.byteLength));
  }
  place?.arrived();
  if (!text.isValid) throw new ProxyError('INVALID_JSON', 'The body is not valid UTF-8');
  return withoutMark(text.take());
}

function tooLarge(limit: number): ProxyError {
  return new ProxyError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes`, { limit });
}

/** Some programs put a byte order mark in front of whatever they send. */
const withoutMark = (text: string) => (text.startsWith('\ufeff') ? text.slice(1) : text);

/** The parser quotes the text around the fault, which may hold a secret; only the position is passed on. */
function withoutText(error: SyntaxError): string {
  const position = /at position \d+( \(line \d+ column \d+\))?/.exec(error.message)?.[0];
  return position ?? 'it ends too early or has a stray character';
}
