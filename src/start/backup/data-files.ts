import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackedUpFile } from '../../db/index.ts';
import { CHECKPOINT_FILE } from '../../log/index.ts';
import { writePrivately } from './disk.ts';

export const PRIVATE_KEY = 'activity-key.pem';
const PUBLIC_KEY = 'activity-key.pub';
export const PUBLIC = /^activity-key(-[0-9A-Za-z]+)?\.pub$/;

/** Seals the rows of tokens, approvals and accepted tools. Without it they do not count; alone it opens nothing. */
export const ROW_KEY = 'row-key';
/** The public keys of the other proxies on the database. */
export const KNOWN_WRITERS = 'known-writers.log';
/** Files to which lines are only added. The first key seals, and the others are accepted too. */
const GROWING = [CHECKPOINT_FILE, KNOWN_WRITERS, ROW_KEY];
/** The configuration as this proxy recorded it last. It belongs to the configuration file, which is not restored. */
const RECORDED_CONFIG = 'config_recorded.json';
/** Needed to verify the database and to go on with it. */
const EVIDENCE = [...GROWING, RECORDED_CONFIG];
/**
 * Included only on request: they sign the log, open the administration of the proxy, show equal secrets of the configuration, and decrypt
 * the tokens for servers.
 */
const KEYS = [PRIVATE_KEY, 'api_key', 'config_key', 'login-key'];

const isKnown = (name: string) => EVIDENCE.includes(name) || KEYS.includes(name) || PUBLIC.test(name);

/** The small files of a data directory that belong to a back-up. */
export function collectFiles(dataDir: string, withKeys: boolean): BackedUpFile[] {
  if (!existsSync(dataDir)) return [];
  return readdirSync(dataDir)
    .filter((name) => isKnown(name) && (withKeys || !KEYS.includes(name)))
    .map((name) => ({ name, content: readFileSync(join(dataDir, name)) }));
}

/** Unpacks the files for a verification that must not depend on the data directory. */
export async function withUnpacked<T>(
  files: readonly BackedUpFile[],
  work: (dir: string) => Promise<T>,
): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-backup-'));
  try {
    // Only what is read there: no private key is written to another place.
    for (const { name, content } of files)
      if (isKnown(name) && !KEYS.includes(name) && name !== ROW_KEY)
        writeFileSync(join(dir, name), content, { mode: 0o600 });
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Adds the lines that only the other file has. Lines that are there stay: the newest checkpoint tells what a restored log lacks. */
export function mergeLines(own: string, other: string): string {
  const lines = own.split('\n').filter((line) => line !== '');
  const known = new Set(lines);
  const added = other.split('\n').filter((line) => line !== '' && !known.has(line));
  return [...lines, ...added].map((line) => `${line}\n`).join('');
}

/** Writes the files of a back-up to a data directory. Returns the names of those that it added or changed. */
export function restoreFiles(files: readonly BackedUpFile[], dataDir: string, date: string): string[] {
  const changed: string[] = [];
  const write = (name: string, content: Uint8Array | string) => {
    const path = join(dataDir, name);
    const before = existsSync(path) ? readFileSync(path) : undefined;
    if (before?.equals(Buffer.from(content))) return;
    if (before && !GROWING.includes(name)) keepReplaced(path, date);
    writePrivately(path, content);
    changed.push(name);
  };
  // Keys first: a public key that belongs to no private key gets a name of its own.
  const order = (name: string) => (KEYS.includes(name) ? 0 : 1);
  for (const { name, content } of files.toSorted((a, b) => order(a.name) - order(b.name))) {
    if (!isKnown(name) || (name === RECORDED_CONFIG && existsSync(join(dataDir, name)))) continue;
    if (GROWING.includes(name))
      write(name, mergeLines(textOf(join(dataDir, name)), Buffer.from(content).toString('utf8')));
    else if (!PUBLIC.test(name)) write(name, content);
    else addPublicKey({ name, content }, { dataDir, files, write });
  }
  return changed;
}

interface KeyTarget {
  dataDir: string;
  files: readonly BackedUpFile[];
  write: (name: string, content: Uint8Array) => void;
}

function addPublicKey({ name, content }: BackedUpFile, { dataDir, files, write }: KeyTarget): void {
  const hasOther = existsSync(join(dataDir, PRIVATE_KEY)) && !files.some((file) => file.name === PRIVATE_KEY);
  const isTrusted = readdirSync(dataDir).some(
    (each) => PUBLIC.test(each) && readFileSync(join(dataDir, each)).equals(Buffer.from(content)),
  );
  if (isTrusted) return;
  if (name !== PUBLIC_KEY) return write(name, content);
  const current = join(dataDir, PUBLIC_KEY);
  if (hasOther) return write(`activity-key-${shortHash(content)}.pub`, content);
  // The chain that it signed can still be verified.
  if (existsSync(current))
    renameSync(current, join(dataDir, `activity-key-${shortHash(readFileSync(current))}.pub`));
  write(PUBLIC_KEY, content);
}

const shortHash = (content: Uint8Array) => createHash('sha256').update(content).digest('hex').slice(0, 8);

const textOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** The name under which something is kept that a restore has replaced. */
export const keptName = (name: string, date: string) => `${name}.replaced-${date}`;

function keepReplaced(path: string, date: string): void {
  let kept = keptName(path, date);
  for (let n = 2; existsSync(kept); n++) kept = keptName(path, `${date}-${n}`);
  renameSync(path, kept);
}
