#!/usr/bin/env node
/*
 * Verifies a sealed export of mcpproxy's activity log. Needs Node 20 and nothing else.
 *
 *   node verify-sealed.mjs activity.sealed.jsonl [--public-key activity-key.pub] [--checkpoint checkpoints.log]
 *
 * Exit code 0: intact. 1: broken, with the first bad entry and the reason. 2: cannot tell.
 * The file of --public-key holds the keys of all proxies that wrote to the log; without it, those in the export itself are trusted.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const TAG = 'mcpproxy-log-1';
const PEM = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g;
const STATE = { opened: 0, closed: 1, recovered: 1, late: 1, adopted: 1, redacted: 2 };

class Broken extends Error {}
class Unknown extends Error {}

const sha256 = (text) => createHash('sha256').update(text).digest('base64url');
const broken = (reason, where, message) => {
  throw new Broken(`${reason}: ${where}: ${message}`);
};

/** Values as one text that can be read in one way only. */
function canonical(values) {
  return values
    .map((value) => {
      if (typeof value === 'string') return `${value.length}:${value};`;
      if (value === null || value === undefined) return '-;';
      return typeof value === 'number' ? `#${value};` : '?;';
    })
    .join('');
}

const FIELDS =
  'salt seq id ts /type /source /status /operation_type *server_name *tool_name request_id session_id conversation_id client ' +
  'duration_ms error_code error_message response_truncated metadata arguments response';

/** "/" is said by the facet, "*" by the facet or, where that is unlisted, by the record. */
function digestOf(row, facet) {
  const names = facet.unlisted === 1 ? row : facet;
  const from = { '/': facet, '*': names };
  const valueOf = (field) => (field[0] in from ? from[field[0]][field.slice(1)] : row[field]);
  return sha256(canonical(FIELDS.split(' ').map(valueOf)));
}

function signatureCheck(keys) {
  const objects = keys.map((key) => createPublicKey(key));
  return (text, signature) =>
    typeof signature === 'string' &&
    objects.some((key) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url')));
}

const checkpointText = ({ log, n, head, time }) => `mcpproxy-checkpoint-1 ${log} ${n} ${head} ${time}`;
const stoneText = (s) =>
  `mcpproxy-tombstone-1 ${s.log} ${s.n} ${s.head} ${s.records} ${s.from} ${s.until} ${s.time}`;

function stateOf(row, status) {
  if (row.salt === null) return 2;
  return status === 'pending' ? 0 : 1;
}

function options(args) {
  const found = { file: undefined, 'public-key': undefined, checkpoint: undefined };
  for (let i = 0; i < args.length; i++) {
    const name = args[i].replace(/^--/, '');
    if (args[i].startsWith('--') && name in found) found[name] = args[++i];
    else if (!args[i].startsWith('--')) found.file = args[i];
    else throw new Unknown(`unknown option ${args[i]}`);
  }
  if (!found.file) throw new Unknown('usage: verify-sealed.mjs FILE [--public-key FILE] [--checkpoint FILE]');
  return found;
}

function witnesses(file) {
  const newest = new Map();
  if (!file) return newest;
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const checkpoint = JSON.parse(line);
    if (!(newest.get(checkpoint.log)?.n > checkpoint.n)) newest.set(checkpoint.log, checkpoint);
  }
  return newest;
}

/** Reads the file line by line; memory does not grow with it. */
async function check({ file, 'public-key': keyFile, checkpoint: checkpointFile }) {
  const trusted = keyFile ? (readFileSync(keyFile, 'utf8').match(PEM) ?? []) : [];
  const outside = witnesses(checkpointFile);
  const facets = new Map();
  const dropped = new Map();
  const bases = new Map();
  const [open, loose] = [new Set(), new Map()];
  const total = { entries: 0, records: 0, unsigned: 0 };
  let isSigned = () => false;
  let header;
  let log;

  const endLog = () => {
    for (const id of log?.overtaken ?? [])
      broken('row differs', `log ${log.id}`, `record ${id} is not what was recorded`);
    const witness = log && outside.get(log.id);
    if (!witness) return;
    if (!isSigned(checkpointText(witness), witness.signature))
      broken('bad signature', `checkpoint ${witness.n}`, 'not signed by the key of this log');
    if (witness.n > log.n)
      broken('truncated', `entry ${log.n + 1}`, `the checkpoint knows ${witness.n} entries`);
  };
  const beginLog = ({ log: id, public_key: key, base }) => {
    endLog();
    if (keyFile && !trusted.some((each) => each.trim() === key.trim()))
      throw new Unknown(`log ${id} is signed by another key`);
    isSigned = signatureCheck(trusted.length > 0 ? trusted : (header.keys ?? [key]));
    if (base && (base.log !== id || !isSigned(stoneText(base), base.signature)))
      broken('bad signature', `log ${id}`, 'its beginning is not signed');
    bases.set(id, base?.signature);
    const [n, head] = base ? [base.n, base.head] : [0, sha256(`${TAG} ${id}`)];
    log = { id, n, head, hasBase: base !== null, overtaken: new Set() };
  };
  const entry = ({ n, seq, entry: text, hash, row: values }) => {
    if (!log) throw new Unknown('an entry stands before its log');
    const at = `entry ${n} of log ${log.id}`;
    if (n > log.n + 1) broken('gap', at, `entries ${log.n + 1} to ${n - 1} are missing`);
    if (n <= log.n) broken('order', at, `it comes after entry ${log.n}`);
    if (sha256(`${TAG} ${log.head} ${text.length} ${text}`) !== hash)
      broken('hash', at, 'it or one before it was changed');
    const previous = log.head;
    const parsed = JSON.parse(text);
    if (parsed.n !== n) broken('order', at, 'it says that it is another one');
    Object.assign(log, { n, head: hash });
    total.entries++;
    total.unsigned++;
    const witness = outside.get(log.id);
    if (witness?.n === n && witness.head !== hash) broken('hash', at, 'the checkpoint knows another one');
    if (parsed.k === 'checkpoint') {
      const statement = { log: log.id, n: n - 1, head: previous, time: parsed.t };
      if (parsed.head !== previous || !isSigned(checkpointText(statement), parsed.signature))
        broken('bad signature', at, 'it does not sign what stands before it');
      total.unsigned = 0;
    } else if (parsed.k === 'dropped') {
      if (!isSigned(stoneText(parsed.base), parsed.base.signature))
        broken('bad signature', at, 'retention is not signed');
      dropped.set(parsed.base.log, parsed.base.signature);
    } else record(at, parsed, seq, values);
  };
  const record = (at, parsed, seq, values) => {
    const state = STATE[parsed.k];
    if (state === undefined) broken('order', at, 'it is of a kind that nobody writes');
    // The one who closes a record after a crash may be another writer, whose chain stands first.
    if (parsed.k === 'opened' && !loose.delete(parsed.id)) open.add(parsed.id);
    else if (parsed.k !== 'opened' && !open.delete(parsed.id) && parsed.k === 'recovered' && !log.hasBase)
      loose.set(parsed.id, at);
    if (!values) broken('row missing', at, `record ${parsed.id} is gone`);
    const row = Object.fromEntries(header.columns.map((name, index) => [name, values[index]]));
    const facet = facets.get(row.facet_id);
    if (!facet) broken('row differs', at, `record ${parsed.id} has no facet`);
    const now = stateOf(row, facet.status);
    if (row.id === parsed.id && row.seq === seq && now > state) return;
    const same = row.id === parsed.id && digestOf(row, facet) === parsed.digest;
    // Closed after a crash, but its end came all the same: a later entry tells of it.
    if (parsed.k === 'recovered' && now === state && !same) {
      log.overtaken.add(parsed.id);
      return;
    }
    if (parsed.k === 'late') log.overtaken.delete(parsed.id);
    if (now < state || !same) broken('row differs', at, `record ${parsed.id} is not what was recorded`);
    total.records++;
  };

  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const item = JSON.parse(line);
    if (!header) {
      if (item.format !== 'mcpproxy-sealed-1') throw new Unknown('this is no sealed export');
      header = item;
    } else if (item.facet) facets.set(item.facet.id, item.facet);
    else if ('public_key' in item) beginLog(item);
    else entry(item);
  }
  if (!log) throw new Unknown('there is no chain in this file');
  endLog();
  for (const [id, at] of loose) broken('order', at, `record ${id} was never opened`);
  for (const [id, signature] of bases)
    if (dropped.get(id) !== signature)
      broken('truncated', `log ${id}`, 'it does not begin where retention says');
  if (total.records !== header.records)
    broken('row without entry', `log ${log.id}`, `${header.records} records, ${total.records} vouched for`);
  return total;
}

try {
  const { entries, records, unsigned } = await check(options(process.argv.slice(2)));
  console.log(
    `intact: ${entries} entries, ${records} records; ${unsigned} entries after the last checkpoint are not signed yet`,
  );
} catch (error) {
  console.log(error instanceof Broken ? `broken: ${error.message}` : `cannot tell: ${error.message}`);
  process.exitCode = error instanceof Broken ? 1 : 2;
}
