import type { CallResult } from '../../contract/call.ts';
import { ProxyError } from '../../contract/errors.ts';
import { ExactNumber, exactJson, exactValue, isObject, type JsonObject } from '../../json/index.ts';
import { hasHidden, visibleLine, visibleText } from '../../lib/visible-text.ts';
import { imitationIn, type DialogText } from './imitation.ts';

/** At most this many questions in one answer. */
const MAX_REQUESTS = 16;
const MAX_KEY = 128;
/** JSON characters of one dialog, and what is shown of its message, of another text, and of an address. */
const MAX_DIALOG = 65_536;
const MAX_MESSAGE = 4_000;
const MAX_LINES = 100;
const MAX_TEXT = 1_000;
const MAX_URL = 2_048;

/** Fields of a schema that a client shows and does not send back. */
const SHOWN = new Set(['title', 'description', 'enumNames']);

/** The joiners that the spelling of Persian, of Indian languages and of emoji needs. After a letter of another script they are hidden text. */
const SPELLING =
  /(?<=[\p{Script=Arabic}\p{Script=Syriac}\u0900-\u0dff\u1780-\u17ff]|\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)([\u200c\u200d])(?=[\p{Script=Arabic}\p{Script=Syriac}\u0900-\u0dff\u1780-\u17ff\p{Extended_Pictographic}])/gu;
const isSpelling = (piece: string) => piece === '\u200c' || piece === '\u200d';

/** Why a dialog is not passed on. */
class Unfit extends Error {}

/**
 * A server may ask the person at the client within a call. The client shows the dialogs of the server and of the proxy alike, so each of a
 * server says whose it is, and one that could be taken for the proxy's own is refused. Everything else of the result stays as it is.
 */
export function markDialogs(server: string, tool: string, result: CallResult): CallResult {
  return orRefused(server, tool, () => {
    // Serialized again, not cut out of the server's text: a key that stands there twice could hide a dialog that was not checked.
    const { ...copy } = exactValue(result) as CallResult;
    return { ...copy, inputRequests: markedRequests(server, copy.inputRequests) };
  });
}

/** The same for a dialog that a server sends as a request of its own. */
export function markDialog(server: string, tool: string, params: JsonObject): JsonObject {
  return orRefused(server, tool, () => markedForm(server, params));
}

function orRefused<T>(server: string, tool: string, mark: () => T): T {
  try {
    return mark();
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    throw new ProxyError(
      'DIALOG_REFUSED',
      `Server '${visibleLine(server)}' asked for input with a dialog that ${error.message}, so it was not passed on. The tool may have run in part; tell the operator, and do not repeat the call without need`,
      { server, tool, why: error.message },
    );
  }
}

function markedRequests(server: string, requests: unknown): JsonObject {
  if (!isObject(requests)) throw new Unfit('is malformed');
  const entries = Object.entries(requests);
  if (entries.length > MAX_REQUESTS) throw new Unfit(`has more than ${MAX_REQUESTS} questions`);
  return Object.fromEntries(entries.map(([key, request]) => [key, markedRequest(server, key, request)]));
}

function markedRequest(server: string, key: string, request: unknown): unknown {
  checkName(key, 'dialog key');
  if (!isObject(request)) throw new Unfit('is malformed');
  switch (request.method) {
    case 'elicitation/create':
      return { method: request.method, params: markedForm(server, request.params) };
    // Neither is a form: the client answers them by its model and by its settings.
    case 'sampling/createMessage':
    case 'roots/list':
      return request;
    default:
      throw new Unfit('is of a kind that cannot be marked');
  }
}

/** Only what the protocol knows of a form: a further field could be shown by some client, and nobody has checked it. */
function markedForm(server: string, params: unknown): JsonObject {
  if (!isObject(params) || typeof params.message !== 'string') throw new Unfit('is malformed');
  if ((exactJson(params) ?? '').length > MAX_DIALOG) throw new Unfit('is too long');
  const { mode, message, requestedSchema, url, elicitationId, _meta } = params;
  return {
    ...(mode !== undefined && { mode: identifier(mode) }),
    message: `Server '${visibleLine(server)}' asks: ${shownText(message, MAX_MESSAGE)}`,
    ...(requestedSchema !== undefined && { requestedSchema: markedSchema(requestedSchema, []) }),
    ...(url !== undefined && { url: checkedUrl(url) }),
    ...(elicitationId !== undefined && { elicitationId: identifier(elicitationId) }),
    ...(isObject(_meta) && { _meta: withoutOwnKeys(_meta) }),
  };
}

/** Only the proxy itself may use its keys. */
function withoutOwnKeys(meta: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !/^mcpproxy\//i.test(key.trim())));
}

/** Texts that are shown are made visible and cut; what is sent back cannot be changed, so it must be fit to be shown as it is. */
function markedSchema(value: unknown, path: readonly string[]): unknown {
  if (typeof value === 'string') return isShown(path) ? shownText(value, MAX_TEXT) : checkedValue(value);
  if (Array.isArray(value)) return value.map((item) => markedSchema(item, path));
  if (!isObject(value) || value instanceof ExactNumber) return value;
  const isFields = path.at(-1) === 'properties';
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (isFields) checkName(key, 'field name');
      // A field may be called "title"; what stands below it is a schema again.
      return [key, markedSchema(item, isFields ? [...path, ''] : [...path, key])];
    }),
  );
}

function isShown(path: readonly string[]): boolean {
  return SHOWN.has(path.at(-1) ?? '');
}

function checkName(name: string, where: DialogText): void {
  if (name.length > MAX_KEY) throw new Unfit('has a name that is too long');
  if (hasHidden(name) || /[\n\t]/.test(name)) throw new Unfit('has invisible characters in a name');
  checkImitation(name, where);
}

function checkedValue(text: string): string {
  if (text.length > MAX_TEXT) throw new Unfit('has a value that is too long');
  if (hasHidden(text.replace(SPELLING, ''))) throw new Unfit('has invisible characters in a value');
  checkImitation(text, 'text');
  return text;
}

function identifier(value: unknown): string {
  if (typeof value !== 'string') throw new Unfit('is malformed');
  return checkedValue(value);
}

function checkedUrl(url: unknown): string {
  // No user name: it would stand where a person reads the host.
  const isWeb =
    typeof url === 'string' &&
    url.length <= MAX_URL &&
    /^https?:\/\/[^/?#\\@]+([/?#][!-[\]-~]*)?$/i.test(url);
  if (!isWeb || /[^!-~]/.test(url) || !URL.canParse(url))
    throw new Unfit('has an address that is not a plain web address');
  return url;
}

function shownText(text: string, limit: number): string {
  const unix = text.replaceAll('\r\n', '\n');
  const lines = unix.slice(0, limit).split('\n').slice(0, MAX_LINES).join('\n');
  checkImitation(lines, 'text');
  const shown = lines.split(SPELLING).map((piece) => (isSpelling(piece) ? piece : visibleText(piece)));
  return `${shown.join('')}${lines.length < unix.length ? ' … (cut)' : ''}`;
}

function checkImitation(text: string, where: DialogText): void {
  const why = imitationIn(text, where);
  if (why !== undefined) throw new Unfit(why);
}
