import { ProxyError } from '../../contract/errors.ts';
import { TextCollector, waitForTurn, type Reservation, type ReserveBody } from '../../load/index.ts';
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
  { limit = MAX_BODY_BYTES, reserve }: { limit?: number; reserve?: ReserveBody | undefined } = {},
): Promise<unknown> {
  checkContentType(request);
  const budget = reserve && createBodyReservation(reserve);
  try {
    return await readValue(await readText(request, limit, budget));
  } finally {
    budget?.release();
  }
}

/** For a route without a body: nothing, or an empty object. Anything else must not be silently ignored. */
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
    return /^\s*(?:\{\s*\}\s*)?$/.test(await readText(request, MAX_EMPTY_BYTES));
  } catch (error) {
    // Too long or not text, so not empty.
    if (error instanceof ProxyError) return false;
    throw error;
  }
}

async function readValue(text: string): Promise<unknown> {
  if (text.trim() === '')
    throw new ProxyError('INVALID_JSON', 'The body is empty; a JSON object is expected');
  const body = text.length > LONG_TEXT ? await inTurn(readJsonSteps(text)) : read(text);
  if (!('value' in body)) throw jsonError(body);
  const source = { text, ends: body.ends };
  keepSourceAt(body.value, source, ['args']);
  keepSourceAt(body.value, source, ['args_json']);
  return body.value;
}

type BodyReservation = ReturnType<typeof createBodyReservation>;

/** Reserves room for a body once it turns out to be long. */
function createBodyReservation(reserve: ReserveBody) {
  let reservation: Reservation | undefined;
  return {
    /** Waits for room, once. */
    async wait(bytes: number): Promise<void> {
      if (reservation) return;
      reservation = reserve(bytes);
      if (await reservation.granted) return;
      const message = 'Too many long bodies are waiting to be read: retry in 1 second';
      throw new ProxyError('OVERLOADED', message, { retry_after_s: 1 });
    },
    arrived: () => reservation?.arrived(),
    release: () => reservation?.release(),
  };
}

function jsonError(body: JsonFault): ProxyError {
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

/** Also where no body is expected: what a plain HTML form can send is rejected everywhere. */
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

async function readText(request: Request, limit: number, budget?: BodyReservation): Promise<string> {
  const announced = Number(request.headers.get('content-length'));
  if (announced > limit) throw tooLarge(limit);
  if (announced > LONG_TEXT) await budget?.wait(announced);
  const text = new TextCollector();
  let size = 0;
  // Leaving the loop cancels the body.
  for await (const part of request.body ?? []) {
    size += part.byteLength;
    if (size > limit) throw tooLarge(limit);
    if (size > LONG_TEXT) {
      await budget?.wait(Infinity);
      await waitForTurn(part.byteLength);
    }
    text.add(Buffer.from(part.buffer, part.byteOffset, part.byteLength));
  }
  budget?.arrived();
  if (!text.isValid) throw new ProxyError('INVALID_JSON', 'The body is not valid UTF-8');
  return withoutMark(text.take());
}

function tooLarge(limit: number): ProxyError {
  return new ProxyError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes`, { limit });
}

/** Some programs send a byte order mark first. */
const withoutMark = (text: string) => (text.startsWith('\ufeff') ? text.slice(1) : text);

/** The parser quotes the text around the error, which may hold a secret; only the position is returned. */
function withoutText(error: SyntaxError): string {
  const position = /at position \d+( \(line \d+ column \d+\))?/.exec(error.message)?.[0];
  return position ?? 'it ends too early or has a stray character';
}
