import { createHash, createPublicKey } from 'node:crypto';
import { ProxyError } from '../../contract/errors.ts';
import type { BackedUpFile } from '../../db/index.ts';
import type { BackedUpKey } from '../../doors/cli/index.ts';
import { collectFiles, KNOWN_WRITERS, PRIVATE_KEY, PUBLIC, ROW_KEY } from './data-files.ts';

type Key = Omit<BackedUpKey, 'known'>;

/** The keys in files of a data directory, and of the logs in a database: they decide which tokens, approvals and records count. */
export function keysIn(
  files: readonly BackedUpFile[],
  logs: ReadonlyArray<{ publicKey: string }> = [],
): Key[] {
  const keys = [...files.flatMap(keysOf), ...logs.map(({ publicKey }) => keyNamed('signing', publicKey))];
  return [...new Map(keys.map((key) => [idOf(key), key])).values()];
}

function keysOf({ name, content }: BackedUpFile): Key[] {
  const text = Buffer.from(content).toString('utf8');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (name === ROW_KEY) return lines.map((line) => keyNamed('row', line));
  if (name === KNOWN_WRITERS) return lines.flatMap(writerKey);
  if (PUBLIC.test(name)) return [keyNamed('signing', text)];
  if (name === PRIVATE_KEY) return [keyNamed('signing', publicPartOf(text))];
  if (name === 'api_key') return [keyNamed('API', text)];
  return name === 'config_key' ? [keyNamed('configuration', text)] : [];
}

function keyNamed(kind: Key['kind'], text: string): Key {
  const hash = createHash('sha256').update(`mcpproxy ${kind} key\n`).update(text.trim());
  return { kind, fingerprint: hash.digest('hex').slice(0, 32) };
}

function writerKey(line: string): Key[] {
  try {
    const { key } = JSON.parse(line) as { key?: unknown };
    return typeof key === 'string' ? [keyNamed('signing', key)] : [];
  } catch {
    return []; // a line that a crash has cut off counts nowhere
  }
}

/** What is no key has a fingerprint too: then it is unknown. */
function publicPartOf(text: string): string {
  try {
    return createPublicKey(text).export({ type: 'spki', format: 'pem' }).toString();
  } catch {
    return text;
  }
}

const idOf = ({ kind, fingerprint }: Key) => `${kind} ${fingerprint}`;

/** The keys that a back-up brings, each with whether the data directory has it already. */
export function compareKeys(keys: readonly Key[], dataDir: string): { keys: BackedUpKey[]; isNew: boolean } {
  const own = new Set(keysIn(collectFiles(dataDir, true)).map(idOf));
  return { keys: keys.map((key) => ({ ...key, known: own.has(idOf(key)) })), isNew: own.size === 0 };
}

/** Refuses keys that would count here from now on, unless the user is sure of them. */
export function requireKnownKeys(
  path: string,
  keys: readonly BackedUpKey[],
  { trustKeys }: { trustKeys?: boolean },
): void {
  const unknown = keys.filter(({ known }) => !known);
  if (unknown.length === 0 || trustKeys) return;
  const names = unknown.map(({ kind, fingerprint }) => `${kind} key ${fingerprint}`).join(', ');
  throw new ProxyError(
    'USAGE',
    `The back-up ${path} brings keys that are not known here: ${names}. Its keys decide which tokens, approvals and records count. Compare them with what "mcpproxy db backup" printed. If you are sure of its origin, add --trust-keys`,
    { file: path, keys: unknown.map(({ kind, fingerprint }) => ({ kind, fingerprint })) },
  );
}
