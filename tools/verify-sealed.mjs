#!/usr/bin/env node
/*
 * Verifies a sealed export of mcpproxy's activity log. Needs Node 20 and nothing else. `--help` says how it is used.
 *
 * Each line must be, byte by byte, the JSON of what was verified. Records are covered by the digest in their entry, entries by the chain of
 * hashes, the chain by the signed checkpoints in it. So no value in the file can be changed, added or taken out without being found.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const HELP = `usage: node verify-sealed.mjs FILE [--public-key FILE] [--checkpoint FILE]

  FILE                 the export, activity.sealed.jsonl
  --public-key FILE    the public key of the proxy: activity-key.pub from its data directory, better from a copy
                       that was kept elsewhere; for a log of several proxies a file with the keys of all of them
  --checkpoint FILE    a copy of checkpoints.log that was kept elsewhere; finds an export whose end was cut off

Exit code 0: intact. 1: broken, with the first bad entry and the reason. 2: cannot tell.`;
const OWN_KEY = `WARNING: no --public-key was given, so the key in the file itself was used. This proves only that the file is whole,
not who made it: anybody can write such a file with a key of their own. Take activity-key.pub from the data directory of the
proxy, or from the copy that you keep elsewhere, and run this again with --public-key activity-key.pub`;

const TAG = 'mcpproxy-log-1';
const FORMAT = 'mcpproxy-sealed-2';
const PEM = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g;
const STATE = { opened: 0, closed: 1, recovered: 1, late: 1, adopted: 1, redacted: 2 };
const FIELDS = (
  'salt seq id ts type source status operation_type server_name tool_name request_id session_id conversation_id client ' +
  'duration_ms error_code error_message response_truncated metadata arguments response'
).split(' ');
const STONE = ['log', 'n', 'head', 'records', 'from', 'until', 'time', 'signature'];

class Broken extends Error {}
class Unknown extends Error {}

const sha256 = (text) => createHash('sha256').update(text).digest('base64url');
const broken = (reason, where, message) => {
  throw new Broken(`${reason}: ${where}: ${message}`);
};
const pick = (object, names) => object && Object.fromEntries(names.map((name) => [name, object[name]]));

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

function stateOf({ salt, status }) {
  if (salt === null) return 2;
  return status === 'pending' ? 0 : 1;
}

function options(args) {
  const found = { file: undefined, 'public-key': undefined, checkpoint: undefined };
  for (let i = 0; i < args.length; i++) {
    const name = args[i].replace(/^--/, '');
    if (!args[i].startsWith('-')) found.file = args[i];
    else if (!args[i].startsWith('--') || !(name in found) || name === 'file' || args[i + 1] === undefined)
      throw new Unknown(`unknown option ${args[i]}, or its value is missing\n${HELP}`);
    else found[name] = args[++i];
  }
  if (!found.file) throw new Unknown(`no file was given\n${HELP}`);
  return found;
}

function witnesses(file) {
  const newest = new Map();
  for (const line of file ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []) {
    const checkpoint = JSON.parse(line);
    if (!(newest.get(checkpoint.log)?.n > checkpoint.n)) newest.set(checkpoint.log, checkpoint);
  }
  return newest;
}

/** The keys of an export, and which of them have signed something. */
function keyring(keys, trusted) {
  const ring = keys.map((pem) => ({ pem, object: createPublicKey(pem), used: false }));
  for (const { pem, object } of ring) {
    if (object.export({ type: 'spki', format: 'pem' }) !== pem) broken('form', 'line 1', 'a key was changed');
    if (trusted && !trusted.some((each) => each.trim() === pem.trim()))
      throw new Unknown('the export is signed by a key that is not in the file of --public-key');
  }
  return {
    isSigned: (text, signature) =>
      typeof signature === 'string' &&
      ring.some((key) => {
        const good = verify(null, Buffer.from(text), key.object, Buffer.from(signature, 'base64url'));
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

/** Line by line; memory does not grow with the file. Only "\n" ends a line, and the last one too. */
async function* linesOf(file) {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(file)) {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield rest.subarray(0, end);
      rest = rest.subarray(end + 1);
    }
  }
  if (rest.length > 0) broken('form', 'the last line', 'the end of the file is missing');
}

function parse(bytes, number) {
  try {
    return Object(JSON.parse(bytes.toString()));
  } catch {
    if (number === 1) throw new Unknown('this is no sealed export');
    return broken('form', `line ${number}`, 'it is no JSON');
  }
}

async function check({ file, 'public-key': keyFile, checkpoint: checkpointFile }) {
  const trusted = keyFile && (readFileSync(keyFile, 'utf8').match(PEM) ?? []);
  const outside = witnesses(checkpointFile);
  const [dropped, bases] = [new Map(), new Map()];
  // Records by what is still to come: an end, a beginning, an entry that vouches for them.
  const [open, loose, moved, settled] = [new Set(), new Map(), new Map(), new Set()];
  const total = { entries: 0, records: 0, unsigned: 0 };
  let [header, keys, log, number] = [undefined, undefined, undefined, 0];

  const endLog = () => {
    total.unsigned += log?.unsigned ?? 0;
    const witness = log && outside.get(log.id);
    if (!witness) return;
    if (!keys.isSigned(checkpointText(witness), witness.signature))
      broken('bad signature', `checkpoint ${witness.n}`, 'not signed by the key of this log');
    if (witness.n > log.n)
      broken('truncated', `entry ${log.n + 1}`, `the checkpoint knows ${witness.n} entries`);
  };
  const begin = (item) => {
    if (item.format === 'mcpproxy-sealed-1')
      throw new Unknown(
        'this export is of an older form that does not cover every value; export the log again',
      );
    if (item.format !== FORMAT || !Array.isArray(item.keys)) throw new Unknown('this is no sealed export');
    [header, keys] = [item, keyring(item.keys.map(String), trusted)];
    return { format: FORMAT, records: item.records, keys: item.keys };
  };
  const beginLog = ({ log: id, base }) => {
    endLog();
    if (bases.has(id)) broken('order', `log ${id}`, 'it is in the file twice');
    if (base && (base.log !== id || !keys.isSigned(stoneText(base), base.signature)))
      broken('bad signature', `log ${id}`, 'its beginning is not signed');
    bases.set(id, base?.signature);
    const [n, head] = base ? [base.n, base.head] : [0, sha256(`${TAG} ${id}`)];
    log = { id, n, head, hasBase: base !== null, unsigned: 0 };
    return { log: id, base: base && pick(base, STONE) };
  };
  const entry = ({ n, entry: text, hash, record }) => {
    if (!log) throw new Unknown('an entry stands before its log');
    const at = `entry ${n} of log ${log.id}`;
    if (n > log.n + 1) broken('gap', at, `entries ${log.n + 1} to ${n - 1} are missing`);
    if (n !== log.n + 1) broken('order', at, `it comes after entry ${log.n}`);
    if (sha256(`${TAG} ${log.head} ${String(text).length} ${text}`) !== hash)
      broken('hash', at, 'it or one before it was changed');
    const [previous, parsed] = [log.head, JSON.parse(text)];
    if (parsed.n !== n) broken('order', at, 'it says that it is another one');
    Object.assign(log, { n, head: hash, unsigned: log.unsigned + 1 });
    total.entries++;
    const witness = outside.get(log.id);
    if (witness?.n === n && witness.head !== hash) broken('hash', at, 'the checkpoint knows another one');
    if (parsed.k === 'checkpoint') {
      const statement = { log: log.id, n: n - 1, head: previous, time: parsed.t };
      if (parsed.head !== previous || !keys.isSigned(checkpointText(statement), parsed.signature))
        broken('bad signature', at, 'it does not sign what stands before it');
      log.unsigned = 0;
    } else if (parsed.k === 'dropped') {
      if (!keys.isSigned(stoneText(parsed.base), parsed.base.signature))
        broken('bad signature', at, 'retention is not signed');
      dropped.set(parsed.base.log, parsed.base.signature);
    } else {
      follow(at, parsed, record !== undefined);
      if (record) vouch(at, parsed, record);
      return { n, entry: text, hash, ...(record && { record: pick(record, FIELDS) }) };
    }
    return { n, entry: text, hash };
  };
  /** Each record is opened, ended, and vouched for by the last entry about it, which may stand in the chain of another writer. */
  const follow = (at, { k, id }, vouched) => {
    if (STATE[k] === undefined) broken('order', at, 'it is of a kind that nobody writes');
    const isEnd = k === 'closed' || k === 'recovered' || k === 'adopted';
    // The one who closes a record after a crash may be another writer, whose chain stands first.
    const isKnown = k === 'opened' && loose.delete(id);
    if (k === 'opened' && !isKnown) open.add(id);
    if (isEnd && !open.delete(id) && k === 'recovered' && !log.hasBase) loose.set(id, at);
    if (vouched && (k === 'late' || k === 'redacted')) settled.add(id);
    if (vouched) moved.delete(id);
    else if (!isKnown && !moved.has(id)) moved.set(id, at);
  };
  const vouch = (at, { k, id, digest }, record) => {
    if (record.id !== id || stateOf(record) !== STATE[k] || digestOf(record) !== digest)
      broken('row differs', at, `record ${id} is not what was recorded`);
    total.records++;
  };

  for await (const bytes of linesOf(file)) {
    const item = parse(bytes, ++number);
    const written = !header ? begin(item) : 'log' in item ? beginLog(item) : entry(item);
    if (!Buffer.from(JSON.stringify(written)).equals(bytes))
      broken('form', `line ${number}`, 'it holds more, or is written otherwise, than an export');
  }
  if (!log) throw new Unknown('there is no chain in this file');
  endLog();
  for (const [id, at] of loose) broken('order', at, `record ${id} was never opened`);
  for (const [id, at] of moved) if (!settled.has(id)) broken('row missing', at, `record ${id} is gone`);
  for (const [id, signature] of bases)
    if (dropped.get(id) !== signature)
      broken('truncated', `log ${id}`, 'it does not begin where retention says');
  if (total.records !== header.records)
    broken('row without entry', `log ${log.id}`, `${header.records} records, ${total.records} vouched for`);
  keys.end();
  return { ...total, ownKey: !keyFile };
}

/** What is said, and the exit code. */
export async function verifySealed(args) {
  try {
    if (args.includes('--help') || args.includes('-h')) return { code: 0, said: HELP };
    const { entries, records, unsigned, ownKey } = await check(options(args));
    const lines = [`intact: ${entries} entries, ${records} records`];
    if (unsigned > 0)
      lines.push(`WARNING: ${unsigned} entries after the last checkpoint are linked, but not signed yet`);
    return { code: 0, said: [...lines, ...(ownKey ? [OWN_KEY] : [])].join('\n') };
  } catch (error) {
    if (error instanceof Broken) return { code: 1, said: `broken: ${error.message}` };
    return { code: 2, said: `cannot tell: ${error.message}` };
  }
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { code, said } = await verifySealed(process.argv.slice(2));
  console.log(said);
  process.exitCode = code;
}
