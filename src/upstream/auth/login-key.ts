import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProxyError } from '../../contract/errors.ts';
import { openBox, sealBox } from '../../lib/state-seal.ts';

const KEY_FILE = 'login-key';

/** Encrypts what is stored of a log-in with a key of the data directory. `bound`: what it belongs to. */
export interface LoginCipher {
  seal(text: string, bound: string): { keyId: string; box: string };
  /** Undefined: the key is not here, or the box was changed or belongs to something else. */
  open(sealed: { keyId: string; box: string }, bound: string): string | undefined;
  readonly file: string;
}

/** The file is made when the first log-in is stored. Each line is a key: the first one encrypts, and all of them decrypt. */
export function createLoginCipher(dataDir: string): LoginCipher {
  const file = join(dataDir, KEY_FILE);
  return {
    file,
    seal(text, bound) {
      const key = (readKeys(file) ?? [makeKey(file)])[0]!;
      return { keyId: keyId(key), box: sealBox(key, text, bound).toString('base64') };
    },
    open(sealed, bound) {
      const key = readKeys(file)?.find((each) => keyId(each) === sealed.keyId);
      return key && openBox(key, Buffer.from(sealed.box, 'base64'), bound);
    },
  };
}

function readKeys(file: string): Buffer[] | undefined {
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim());
  const keys = lines.filter((line) => line !== '');
  if (keys.length > 0 && keys.every((key) => /^[0-9a-f]{64}$/.test(key)))
    return keys.map((key) => Buffer.from(key, 'hex'));
  throw new ProxyError(
    'CONFIG_INVALID',
    `${file} is damaged: each line must have 64 hexadecimal digits. Restore it from a back-up, or remove it and log in to the servers again`,
    { file },
  );
}

function makeKey(file: string): Buffer {
  const key = randomBytes(32);
  try {
    writeFileSync(file, `${key.toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true });
    return key;
  } catch (error) {
    // Another process has made it meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return readKeys(file)![0]!;
    throw error;
  }
}

/** Names a key without revealing it. */
function keyId(key: Buffer): string {
  return createHash('sha256').update('mcpproxy login key').update(key).digest('hex').slice(0, 16);
}
