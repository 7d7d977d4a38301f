import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { fromCursor, fromPositionCursor, toCursor } from '../../src/log/query/cursor.ts';
import { declaredIntent } from '../../src/road/read-intent.ts';
import { checkIntent } from '../../src/road/steps/intent.ts';
import { parseCall } from '../../src/road/steps/parse.ts';
import { pageOfNames } from '../../src/catalog/read-catalog.ts';
import { createSearchIndex } from '../../src/catalog/search/search-index.ts';
import { nameForms, nearestNames } from '../../src/catalog/search/nearest-names.ts';
import { pointInTime } from '../../src/doors/cli/output/time.ts';
import { Duration, durationMs } from '../../src/contract/config.ts';
import type { ErrorCode } from '../../src/contract/errors.ts';
import { OperationType } from '../../src/contract/operation.ts';
import { parseEventId } from '../../src/doors/http/events/event-id.ts';
import { glob } from '../../src/lib/pattern.ts';
import { createStateSeal } from '../../src/lib/state-seal.ts';
import { createTokenIndex } from '../../src/token/token-index.ts';
import { hasValidChecksum, newSecret } from '../../src/token/secret.ts';
import { broken, changed, json, text } from './arbitraries.ts';
import { fuzz, orRefused } from './cases.ts';
import { inTime } from './in-time.ts';
import { callArguments } from './messages.ts';

fuzz(
  'call: what comes through a door',
  fc.tuple(fc.constantFrom(...OperationType.options), fc.oneof(changed(callArguments), json)),
  ([operation, input]) => {
    inTime(() => declaredIntent(input));
    const call = orRefused(['INVALID_ARGUMENTS', 'TOO_DEEP'], () => parseCall(input));
    if (!call) return;
    const { name, server, tool, args } = call;
    if (`${server}:${tool}` !== name || server === '' || tool === '' || server.includes(':'))
      throw new Error(`taken apart as ${server} and ${tool}`);
    if (typeof args !== 'object' || args === null || Array.isArray(args))
      throw new Error('arguments that are no object');
    const codes: ErrorCode[] = [
      'MISSING_INTENT',
      'MISSING_OPERATION_TYPE',
      'INVALID_OPERATION_TYPE',
      'INTENT_MISMATCH',
      'INVALID_SENSITIVITY',
      'REASON_TOO_LONG',
      'INTENT_CONFLICT',
      'INVALID_ARGUMENTS',
    ];
    const intent = orRefused(codes, () => checkIntent(operation, call.input, 'required'));
    if (intent && intent.operation_type !== operation) throw new Error('it declares another operation');
  },
);

const seal = createStateSeal(randomBytes(32));
const sealed = fc
  .tuple(json, text)
  .map(([value, bound]) => ({ value, bound, made: seal.seal(value, bound) }));
fuzz(
  'call: sealed states',
  fc.tuple(sealed, fc.oneof(json, text), fc.nat()),
  ([{ value, bound, made }, other, at]) => {
    if (JSON.stringify(seal.open(made, bound)?.value) !== JSON.stringify(value))
      throw new Error('it does not open for whom it was made');
    if (inTime(() => seal.open(other, bound)) !== undefined)
      throw new Error(`${JSON.stringify(other)} opens`);
    if (seal.open(made, `${bound}x`) !== undefined) throw new Error('it opens for another');
    const place = at % made.length;
    const flipped = made.slice(0, place) + (made[place] === 'A' ? 'B' : 'A') + made.slice(place + 1);
    if (Buffer.from(flipped, 'base64url').equals(Buffer.from(made, 'base64url'))) return;
    if (seal.open(flipped, bound) !== undefined) throw new Error('it opens although it was changed');
  },
);

const book = createTokenIndex({ now: Date.now }, () => undefined);
const nearly = fc.oneof(
  text,
  broken(fc.constant(newSecret())),
  broken(fc.constant(toCursor(12345))),
  broken(fc.constant('m1abc-run-1.log:1')),
);
fuzz('tokens, ids and cursors', nearly, (given) => {
  if (inTime(() => book.find(given)).state === 'active') throw new Error('a token that nobody made is good');
  if (hasValidChecksum(given) && given.length !== newSecret().length)
    throw new Error('no token has this length');
  const seq = orRefused(['INVALID_REQUEST'], () => fromCursor(given));
  if (seq !== undefined && toCursor(seq) !== given) throw new Error('a cursor that is read in two ways');
  orRefused(['INVALID_REQUEST'], () => fromPositionCursor(given));
  orRefused(['INVALID_REQUEST'], () => pageOfNames(['a:b', 'c:d'], 1, given));
  const id = inTime(() => parseEventId(given));
  if (id && ![id.time, id.number, ...id.logs.values()].every((n) => n >= 0 && Number.isFinite(n)))
    throw new Error('an id without a place');
});

const durations = fc.oneof(
  text,
  fc
    .tuple(fc.bigInt({ min: -5n, max: 10n ** 40n }), fc.constantFrom('ms', 's', 'm', 'h', 'd', 'y', ''))
    .map(([n, unit]) => `${n}${unit}`),
);
fuzz('durations, sizes and globs', fc.tuple(durations, text, text), ([duration, pattern, whole]) => {
  if (
    inTime(() => Duration.safeParse(duration)).success &&
    !(durationMs(duration) >= 0 && durationMs(duration) <= Number.MAX_SAFE_INTEGER)
  )
    throw new Error(`${duration} is ${durationMs(duration)} ms`);
  orRefused(['USAGE'], () => pointInTime(duration, Date.now()));
  if (!glob('*')(whole)) throw new Error('* is not everything');
  if (!whole.includes('*') && !glob(whole)(whole)) throw new Error('a text does not match itself');
  inTime(() => glob(pattern)(whole));
});

const index = createSearchIndex();
for (const name of ['list_tasks', 'delete_file', 'constructor', '__proto__'])
  index.add({
    name: `up:${name}`,
    server: 'up',
    definition: { name, description: `${name} of things`, inputSchema: { type: 'object' } },
  });
const names = ['up:list_tasks', 'up:__proto__', 'tasks:add'].map(nameForms);
const queries = fc.oneof(
  text,
  fc.array(text, { maxLength: 30 }).map((words) => words.join(' ')),
);
fuzz('search: queries', queries, (query) => {
  const { hits, total } = inTime(() => index.search(query, { limit: 3 }));
  if (hits.length > 3 || total > 4 || hits.some(({ score }) => !Number.isFinite(score)))
    throw new Error('more than there is');
  for (const { name } of hits) inTime(() => index.explain(query, name));
  inTime(() => nearestNames(query, names, 3));
});
