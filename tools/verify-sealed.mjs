#!/usr/bin/env node
/*
 * Verifies a sealed export of mcpproxy's activity log. Needs Node 20 and nothing else. `--help` says how it is used.
 *
 * Each line must be, byte by byte, the JSON of what was verified, with every value of its kind. Records are covered by the digest in their
 * entry, entries by the chain of hashes, the chain by the signed checkpoints in it. So no value up to the last checkpoint of a log can be
 * changed, added or taken out without being found. An end that was cut off is found only with a copy of the checkpoints.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const HELP = `usage: node verify-sealed.mjs FILE [--public-key FILE] [--checkpoint FILE] [--print]

  FILE                 the export, activity.sealed.jsonl
  --public-key FILE    the public key of the proxy: activity-key.pub from its data directory, better from a copy
                       that was kept elsewhere; for a log of several proxies a file with the keys of all of them
  --checkpoint FILE    a copy of checkpoints.log that was kept elsewhere; finds an export whose end was cut off or from
                       which a log was taken out; for a log of several proxies a file with the lines of all of them
  --print              prints each verified record as a line of JSON to stdout, and the verdict to stderr. Nothing is
                       printed unless the whole file verifies. "signed": false marks a record that only an entry
                       after the last checkpoint of its log covers

Exit codes
  0: intact, and all of it is signed
  1: broken, with the first bad entry and the reason
  2: cannot tell
  3: whole, but entries after the last checkpoint of a log are not signed yet: anybody could have added those`;
const OWN_KEY = `WARNING: no --public-key was given, so the key in the file itself was used. This proves only that the file is whole,
not who made it: anybody can write such a file with a key of their own. Take activity-key.pub from the data directory of the
proxy, or from the copy that you keep elsewhere, and run this again with --public-key activity-key.pub`;
const NO_WITNESS = `NOTE: no --checkpoint was given. Whether the end was cut off, or a log was taken out, cannot be told without a copy of
checkpoints.log.`;

const TAG = 'mcpproxy-log-1';
const FORMAT = 'mcpproxy-sealed-2';
const PEM = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g;
const STATE = { opened: 0, closed: 1, recovered: 1, late: 1, adopted: 1, restored: 1, redacted: 2 };
const FIELDS = (
  'salt seq id ts type source status operation_type server_name tool_name request_id session_id conversation_id client ' +
  'duration_ms error_code error_message response_truncated metadata arguments response'
).split(' ');

const isText = (value) => typeof value === 'string' && value.isWellFormed();
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
const isTime = (value) => Number.isFinite(value);
const isId = (value) => typeof value === 'string' && /^[\w-]+$/.test(value);
const isSignature = (value) => isId(value) && Buffer.from(value, 'base64url').toString('base64url') === value;
const isValue = (value) => value === null || Number.isFinite(value) || isText(value);
const hasShape = (shape) => (value) => shaped(value, shape) !== undefined;

/** What each line holds, in this order: nothing more, nothing less, nothing of another kind. */
const RECORD = Object.fromEntries(FIELDS.map((name) => [name, isValue]));
const HEAD = { log: isId, n: isCount, head: isId };
const SIGNATURE = { time: isTime, signature: isSignature };
const STONE = { ...HEAD, records: isCount, from: isTime, until: isTime, ...SIGNATURE };
const LOST = { log: isId, from: isCount, to: isCount, before: isId, head: isId, ...SIGNATURE };
const LOST_ENTRY = { n: isCount, t: isTime, k: isText, lost: hasShape(LOST) };
const areTexts = (value) => Array.isArray(value) && value.every(isText);
const HEADER = { format: isText, records: isCount, keys: areTexts };
const LOG = { log: isId, base: (value) => value === null || hasShape(STONE)(value) };
const ENTRY = { n: isCount, entry: isText, hash: isId };
const VOUCHING = { ...ENTRY, record: hasShape(RECORD) };
const CHECKPOINT = { ...HEAD, ...SIGNATURE };
const SIGNED_ENTRY = { n: isCount, t: isTime, k: isText, head: isId, signature: isSignature };

class Broken extends Error {}
class Unknown extends Error {}

const sha256 = (text) => createHash('sha256').update(text).digest('base64url');
const broken = (reason, where, message) => {
  throw new Broken(`${reason}: ${where}: ${message}`);
};

/** A plain object with exactly these names in this order, each with a value of its kind; else undefined. */
function shaped(value, shape) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (Object.keys(value).join() !== Object.keys(shape).join()) return undefined;
  return Object.entries(shape).every(([name, isGood]) => isGood(value[name])) ? value : undefined;
}

/** Values as one text that can be read in one way only. */
function digestOf(record) {
  const part = (value) => {
    if (typeof value === 'string') return `${value.length}:${value};`;
    if (value === null || value === undefined) return '-;';
    return typeof value === 'number' ? `#${value};` : '?;';
  };
  return sha256(FIELDS.map((name) => part(record[name])).join(''));
}

const checkpointText = ({ log, n, head, time }) => `mcpproxy-checkpoint-1 ${log} ${n} ${head} ${time}`;
const stoneText = (s) =>
  `mcpproxy-tombstone-1 ${s.log} ${s.n} ${s.head} ${s.records} ${s.from} ${s.until} ${s.time}`;

const lostText = (l) => `mcpproxy-lost-1 ${l.log} ${l.from} ${l.to} ${l.before} ${l.head} ${l.time}`;

const isAboutRecord = ({ k }) => typeof k === 'string' && Object.hasOwn(STATE, k);

const isSignedBy = (key, text, signature) =>
  verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));

function stateOf({ salt, status }) {
  if (salt === null) return 2;
  return status === 'pending' ? 0 : 1;
}

function options(args) {
  const found = { file: undefined, 'public-key': undefined, checkpoint: undefined, print: undefined };
  for (let i = 0; i < args.length; i++) {
    const name = args[i].replace(/^--/, '');
    if (!args[i].startsWith('-')) found.file = args[i];
    else if (args[i] === '--print') found.print = true;
    else if (!args[i].startsWith('--') || !(name in found) || name === 'file' || args[i + 1] === undefined)
      throw new Unknown(`unknown option ${args[i]}, or its value is missing\n${HELP}`);
    else found[name] = args[++i];
  }
  if (!found.file) throw new Unknown(`no file was given\n${HELP}`);
  return found;
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Unknown(`${file} cannot be read: ${cause.message}`);
  }
}

function trustedKeys(file) {
  if (file === undefined) return undefined;
  const found = read(file).match(PEM);
  if (!found) throw new Unknown(`${file} holds no public key`);
  return found;
}

/** The newest checkpoint of each log. A last line that was cut by a crash is left out. */
function witnesses(file) {
  const newest = new Map();
  if (file === undefined) return newest;
  const lines = read(file)
    .split('\n')
    .filter((line) => line.trim() !== '');
  for (const [i, line] of lines.entries()) {
    const item = parsed(line);
    if (item === undefined && i > 0 && i === lines.length - 1) continue;
    const found = shaped(item, CHECKPOINT);
    if (!found) throw new Unknown(`line ${i + 1} of ${file} is no checkpoint`);
    if (!(newest.get(found.log)?.n > found.n)) newest.set(found.log, found);
  }
  if (newest.size === 0) throw new Unknown(`${file} holds no checkpoint`);
  return newest;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The keys of an export, and which of them have signed something. */
function keyring(keys, trusted) {
  const ring = keys.map((pem) => ({ pem, object: publicKey(pem), used: false }));
  for (const { pem, object } of ring) {
    if (object.export({ type: 'spki', format: 'pem' }) !== pem) broken('form', 'line 1', 'a key was changed');
    if (trusted && !trusted.some((each) => each.trim() === pem.trim()))
      throw new Unknown('the export is signed by a key that is not in the file of --public-key');
  }
  return {
    isSigned: (text, signature) =>
      typeof signature === 'string' &&
      ring.some((key) => {
        const good = isSignedBy(key.object, text, signature);
        key.used ||= good;
        return good;
      }),
    end() {
      if (ring.length === 0) throw new Unknown('nothing in this file is signed yet');
      if (ring.some(({ used }) => !used))
        broken('bad signature', 'line 1', 'a key signs nothing in this file');
    },
  };
}

function publicKey(pem) {
  try {
    return createPublicKey(pem);
  } catch {
    return broken('form', 'line 1', 'a key was changed');
  }
}

/** Line by line, so that of the whole file only the ids of records are kept in memory. Only "\n" ends a line, and the last one too. */
async function* linesOf(file, digest) {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(file)) {
    digest.update(chunk);
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield rest.subarray(0, end);
      rest = rest.subarray(end + 1);
    }
  }
  if (rest.length > 0) broken('form', 'the last line', 'the end of the file is missing');
}

/** The line as it was read, where it is byte by byte what an export writes. */
function parse(bytes, number, shapes) {
  const item = parsed(bytes.toString());
  if (number === 1 && item?.format === 'mcpproxy-sealed-1')
    throw new Unknown('this export has an older format that does not cover every value; export again');
  if (number === 1 && item?.format !== FORMAT) throw new Unknown('this is not a sealed export');
  if (item === undefined) broken('form', `line ${number}`, 'it is no JSON');
  if (shapes.some((shape) => shaped(item, shape)) && Buffer.from(JSON.stringify(item)).equals(bytes))
    return item;
  return broken('form', `line ${number}`, 'it is not written exactly as an export writes it');
}

const ENDINGS = new Set(['closed', 'recovered', 'adopted', 'restored']);
/** Of several entries about a record the one of the highest rank covers its present state, wherever it stands in the file. */
const RANK = { opened: 0, closed: 1, recovered: 1, adopted: 1, restored: 1, late: 2, redacted: 3 };

/** The records of restores tell what was missing, and where each log ended that is not continued. */
function createRestores() {
  const found = [];
  const heads = [];
  return {
    see({ id, ts, type, status, metadata, arguments: asked }, log, n) {
      if (
        type !== 'config_change' ||
        (!metadata.includes('"restore_backup"') && !metadata.includes('"accept_restore"'))
      )
        return;
      const { action, principal, missing_entries: missing, log_heads: ends } = Object(parsed(metadata));
      if (!['accept_restore', 'restore_backup'].includes(action)) return;
      if (!['success', 'pending', 'unknown'].includes(status)) return;
      const { missing: earlier, file } = Object(parsed(asked ?? ''));
      const at = new Date(ts).toISOString();
      found.push({ action, id, at, by: principal ?? '?', missing: missing ?? earlier ?? 0, file });
      for (const [of, head] of Object.entries(Object(ends))) heads.push({ of, head, log, n });
    },
    /** Whether a signed record names this end of a log. */
    names: ({ id, head }, signedTo) =>
      heads.some(
        (each) => each.of === id && each.head === head && each.log !== id && each.n <= signedTo.get(each.log),
      ),
    found,
  };
}

/** Follows each record through all logs: it is opened, ended, and vouched for by the last entry about it, maybe in the log of another writer. */
function createRecordCheck(restores) {
  const open = new Set();
  // Closed after a crash by another writer, whose log comes first in the file.
  const endedFirst = new Map();
  // The rank of the entry with the record, and entries without one that nothing of a higher rank covers yet; both by the id.
  const shown = new Map();
  const leftOut = new Map();

  const end = (at, { k, id }, log) => {
    if (!open.delete(id) && k === 'recovered' && !log.hasBase) endedFirst.set(id, at);
  };
  const vouch = (at, { k, id, digest }, record) => {
    if (record.id !== id || stateOf(record) !== STATE[k] || digestOf(record) !== digest)
      broken('row differs', at, `record ${id} is not what was recorded`);
    if (shown.has(id)) broken('row differs', at, `record ${id} is in the file twice`);
    shown.set(id, RANK[k]);
    if (leftOut.get(id)?.rank < RANK[k]) leftOut.delete(id);
  };
  const leaveOut = (at, { k, id }) => {
    const rank = RANK[k];
    if (!(shown.get(id) > rank || leftOut.get(id)?.rank > rank)) leftOut.set(id, { at, rank });
  };

  return {
    take(at, claim, { log, record }) {
      const { k, id } = claim;
      if (!isAboutRecord(claim) || !isId(id)) broken('order', at, 'it has an unknown kind');
      if (k === 'opened' && !endedFirst.delete(id)) open.add(id);
      if (ENDINGS.has(k)) end(at, claim, log);
      if (record) {
        vouch(at, claim, record);
        restores.see(record, log.id, claim.n);
      } else leaveOut(at, claim);
    },
    end() {
      for (const [id, at] of endedFirst) broken('order', at, `record ${id} was never opened`);
      for (const [id, { at }] of leftOut) broken('row missing', at, `record ${id} is gone`);
      return shown.size;
    },
  };
}

/** Follows one log entry by entry: numbers, hashes, signatures. */
function createLogCheck({ log: id, base }, { keys, witness, onRetention, records }) {
  if (base && (base.log !== id || !keys.isSigned(stoneText(base), base.signature)))
    broken('bad signature', `log ${id}`, 'its beginning is not signed');
  const [n, head] = base ? [base.n, base.head] : [0, sha256(`${TAG} ${id}`)];
  const log = {
    id,
    n,
    head,
    hasBase: base !== null,
    isSigned: base !== null,
    signedTo: 0,
    unsigned: 0,
    entries: 0,
    lost: [],
  };
  if (base && witness?.n === n && witness.head !== head)
    broken('hash', `log ${id}`, 'the checkpoint has another beginning');

  /** Entries may be missing where the next one says that the database lost them, and follows the last of them. */
  const passLost = (number, entry) => {
    const claim = parsed(entry);
    if (claim?.k !== 'lost' || !shaped(claim, LOST_ENTRY) || JSON.stringify(claim) !== entry) return;
    const { lost } = claim;
    const fits =
      lost.log === id && lost.from === log.n + 1 && lost.to === number - 1 && lost.before === log.head;
    if (!fits || !keys.isSigned(lostText(lost), lost.signature)) return;
    Object.assign(log, { n: lost.to, head: lost.head });
    log.lost.push(lost);
  };
  const link = (at, { n: number, entry, hash }) => {
    if (number > log.n + 1) passLost(number, entry);
    if (number > log.n + 1) broken('gap', at, `entries ${log.n + 1} to ${number - 1} are missing`);
    if (number !== log.n + 1) broken('order', at, `it comes after entry ${log.n}`);
    if (sha256(`${TAG} ${log.head} ${entry.length} ${entry}`) !== hash)
      broken('hash', at, 'it or an entry before it was changed');
    const claim = Object(parsed(entry));
    if (claim.n !== number) broken('order', at, 'its number is another one');
    Object.assign(log, { n: number, head: hash, unsigned: log.unsigned + 1, entries: log.entries + 1 });
    if (witness?.n === number && witness.head !== hash) broken('hash', at, 'the checkpoint has another one');
    return claim;
  };
  const checkpoint = (at, claim, { previous, entry }) => {
    const statement = { log: id, n: claim.n - 1, head: previous, time: claim.t };
    const isPlain = shaped(claim, SIGNED_ENTRY) && JSON.stringify(claim) === entry;
    if (!isPlain || claim.head !== previous || !keys.isSigned(checkpointText(statement), claim.signature))
      broken('bad signature', at, 'it does not sign the entries before it');
    Object.assign(log, { unsigned: 0, isSigned: true, signedTo: claim.n });
  };
  const retention = (at, { base: stone }) => {
    if (!shaped(stone, STONE) || !keys.isSigned(stoneText(stone), stone.signature))
      broken('bad signature', at, 'retention is not signed');
    onRetention(stone);
  };

  return {
    log,
    take(item) {
      const at = `entry ${item.n} of log ${id}`;
      const previous = log.head;
      const claim = link(at, item);
      if (item.record && !isAboutRecord(claim)) broken('form', at, 'it is not about a record');
      if (claim.k === 'checkpoint') checkpoint(at, claim, { previous, entry: item.entry });
      else if (claim.k === 'dropped') retention(at, claim);
      else if (claim.k === 'lost') {
        if (log.lost.at(-1)?.to !== claim.n - 1) broken('gap', at, 'it names entries that are not missing');
      } else records.take(at, claim, { log, record: item.record });
    },
    end() {
      if (!log.isSigned && log.n === 0) broken('form', `log ${id}`, 'it is empty');
      if (!witness) return;
      if (!keys.isSigned(checkpointText(witness), witness.signature))
        broken('bad signature', `checkpoint ${witness.n}`, 'not signed by the key of this log');
      if (witness.n > log.n)
        broken(
          'truncated',
          `entry ${log.n + 1}`,
          `the checkpoint covers ${witness.n} entries, the export ends after ${log.n}; the export is older than this checkpoint, or its end was cut off`,
        );
    },
  };
}

/** Logs that a checkpoint or retention mentions, and that are not in the file. Returns those of unknown origin as doubts. */
function findMissingLogs({ outside, bases, dropped, keys, checkpointFile }) {
  const doubts = [];
  for (const [id, witness] of outside) {
    if (bases.has(id)) continue;
    if (keys.some((pem) => isSignedBy(pem, checkpointText(witness), witness.signature)))
      broken(
        'truncated',
        `log ${id}`,
        `the checkpoints cover ${witness.n} entries of it, this file has none`,
      );
    doubts.push(`${checkpointFile} is of another database: log ${id} in it is not in this file`);
  }
  for (const id of dropped.keys())
    if (!bases.has(id)) broken('truncated', `log ${id}`, 'retention mentions it, this file has none of it');
  return doubts;
}

async function check({ file, 'public-key': keyFile, checkpoint: checkpointFile }) {
  const trusted = trustedKeys(keyFile);
  const outside = witnesses(checkpointFile);
  const [dropped, bases] = [new Map(), new Map()];
  const restores = createRestores();
  const records = createRecordCheck(restores);
  const total = { entries: 0, unsigned: 0, signedTo: new Map(), digest: createHash('sha256') };
  const ends = [];
  const doubts = [];
  let [header, keys, current, number] = [undefined, undefined, undefined, 0];

  const endLog = () => {
    if (!current) return;
    current.end();
    total.entries += current.log.entries;
    ends.push(current.log);
    const { id, signedTo } = current.log;
    total.signedTo.set(id, signedTo);
    if (checkpointFile !== undefined && !outside.has(id))
      doubts.push(`${checkpointFile} has no line of log ${id}; add checkpoints.log of its proxy`);
  };
  /** A log that a restore has ended cannot be signed any more, but the signed record of the restore names its end. */
  const checkEnds = () => {
    const signedTo = new Map(total.signedTo);
    for (const log of ends) {
      if (log.unsigned > 0 && restores.names(log, signedTo)) total.signedTo.set(log.id, log.n);
      else if (log.isSigned) total.unsigned += log.unsigned;
      else doubts.push(`log ${log.id} has no signed checkpoint: anybody could have added it to the file`);
    }
  };
  const beginLog = (item) => {
    endLog();
    if (bases.has(item.log)) broken('order', `log ${item.log}`, 'it is in the file twice');
    bases.set(item.log, item.base?.signature);
    const onRetention = (stone) => dropped.set(stone.log, stone.signature);
    current = createLogCheck(item, { keys, witness: outside.get(item.log), onRetention, records });
  };
  const take = (item) => {
    if (!header) [header, keys] = [item, keyring(item.keys, trusted)];
    else if ('log' in item) beginLog(item);
    else if (current) current.take(item);
    else broken('order', `line ${number}`, 'an entry stands before its log');
  };

  for await (const bytes of linesOf(file, total.digest))
    take(parse(bytes, ++number, header ? [ENTRY, VOUCHING, LOG] : [HEADER]));
  if (!header) throw new Unknown('this is not a sealed export');
  if (!current) throw new Unknown('there is no chain in this file');
  endLog();
  checkEnds();
  doubts.push(...findMissingLogs({ outside, bases, dropped, keys: trusted ?? header.keys, checkpointFile }));
  const vouched = records.end();
  for (const [id, signature] of bases)
    if (dropped.get(id) !== signature)
      broken('truncated', `log ${id}`, 'it does not begin where retention says');
  if (vouched !== header.records)
    broken('row without entry', `log ${current.log.id}`, `${header.records} records, ${vouched} vouched for`);
  if (doubts.length > 0) throw new Unknown(doubts.join('\n'));
  keys.end();
  return {
    ...total,
    restores: restores.found,
    lost: ends.flatMap(({ lost }) => lost),
    records: vouched,
    ownKey: !keyFile,
    noWitness: !checkpointFile,
  };
}

/** Characters that a terminal obeys or does not show are written as escapes. */
const escaped = (json) =>
  json.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, (text) =>
    [...Array(text.length).keys()]
      .map((i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** JSON that was recorded is printed as it stands: to parse it would change long numbers. */
const asJson = (name, value) =>
  ['metadata', 'arguments', 'response'].includes(name) &&
  parsed(value) !== undefined &&
  !/[\r\n\t]/.test(value)
    ? value
    : JSON.stringify(value);

/** The record as a person reads it, without what is absent. The salt means nothing to a reader. */
function readableRecord({ salt, ts, ...record }, signed) {
  const values = {
    timestamp: new Date(ts).toISOString(),
    ...record,
    response_truncated: record.response_truncated === 1,
    ...(salt === null && { redacted: true }),
    signed,
  };
  const present = Object.entries(values).filter(([, value]) => value !== null);
  return escaped(
    `{${present.map(([name, value]) => `${JSON.stringify(name)}:${asJson(name, value)}`).join()}}`,
  );
}

/** The records of a file that was verified. It is read again, because a line is verified only with those after it. */
async function printRecords(file, { signedTo, digest }, print) {
  const again = createHash('sha256');
  let log;
  for await (const bytes of linesOf(file, again)) {
    const item = parsed(bytes.toString());
    if (item?.log) log = item.log;
    else if (item?.record) await print(readableRecord(item.record, item.n <= signedTo.get(log)));
  }
  if (again.digest('hex') !== digest.digest('hex'))
    throw new Unknown('the file was changed while it was read; what was printed is not verified');
}

const isWhole = ({ lost, restores }) =>
  lost.length === 0 && restores.every(({ action }) => action !== 'accept_restore');

/** What is said, and the exit code. */
export async function verifySealed(args, print = writeLine) {
  try {
    if (args.includes('--help') || args.includes('-h')) return { code: 0, said: HELP };
    const asked = options(args);
    const found = await check(asked);
    if (asked.print) await printRecords(asked.file, found, print);
    const { entries, records, unsigned, restores, lost, ownKey, noWitness } = found;
    const notes = [
      ...lost.map(lostNote),
      ...restores.map(restoreText),
      ...(ownKey ? [OWN_KEY] : []),
      ...(noWitness ? [NO_WITNESS] : []),
    ];
    const tail = `not all signed: ${unsigned} of ${entries} entries stand after the last checkpoint of their log.
They are linked to it, but nothing shows who wrote them. What stands before them is intact. A running proxy signs its log every minute and when it stops: export again later. A log
that no proxy writes any more, for example after its key was lost, stays as it is.`;
    const intact = `intact${isWhole(found) ? '' : ', but entries are missing (see below)'}: ${entries} entries, ${records} records`;
    const verdict = unsigned > 0 ? tail : intact;
    return { code: unsigned > 0 ? 3 : 0, said: [verdict, ...notes].join('\n') };
  } catch (error) {
    if (error instanceof Broken) return { code: 1, said: `broken: ${error.message}` };
    return { code: 2, said: `cannot tell: ${error.message}` };
  }
}

/** Texts of the log are untrusted. */
const shown = (value) => escaped(String(value)).slice(0, 300);

function lostNote({ log, from, to, time }) {
  return `LOST: entries ${from} to ${to} of log ${log} are missing. The database had lost them when its proxy looked at
${new Date(time).toISOString()}, and signed this. What the proxy still had follows as "restored".`;
}

function restoreText({ action, id, at, by, missing, file }) {
  if (action === 'restore_backup')
    return `RESTORED: the database was put back from ${shown(file ?? 'a back-up')} before ${at} (record ${id}).`;
  const gap =
    missing > 0
      ? `${missing} ${missing === 1 ? 'entry was' : 'entries were'} missing`
      : 'an unknown number of entries may have been missing';
  return `RESTORED: ${gap} when the restore was accepted at ${at} by ${shown(by)} (record ${id}).
What they contained cannot be told from this file.`;
}

/** Waits for a slow reader, so that memory does not grow. */
async function writeLine(line) {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  const { code, said } = await verifySealed(args);
  if (args.includes('--print') && !args.includes('--help')) console.error(said);
  else console.log(said);
  process.exitCode = code;
}
