import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ProxyError } from '../../contract/errors.ts';
import { sha256 } from './hash-chain.ts';

/** Signs for one installation. The private key stays in its file and this object. */
export interface Signer {
  /** SPKI as PEM. */
  publicKey: string;
  sign(text: string): string;
  /** A key for another purpose, which says nothing about the signing key or the keys of other purposes. */
  derive(purpose: string): Buffer;
}

const PRIVATE = 'activity-key.pem';
const PUBLIC = 'activity-key.pub';

/** The signing key of the data directory; created on first start. */
export function openSigner(dir: string): Signer {
  const file = join(dir, PRIVATE);
  if (!existsSync(file)) createKey(dir);
  const signer = signerOf(readKey(file));
  if (!existsSync(join(dir, PUBLIC))) writePrivate(join(dir, PUBLIC), signer.publicKey);
  return signer;
}

/** The same for a reader, which creates nothing: undefined if there is no key. */
export function findSigner(dir: string): Signer | undefined {
  const file = join(dir, PRIVATE);
  return existsSync(file) ? signerOf(readKey(file)) : undefined;
}

function signerOf(key: KeyObject): Signer {
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
  const seed = Buffer.from(key.export({ format: 'jwk' }).d!, 'base64url');
  return {
    publicKey,
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64url'),
    derive: (purpose) => Buffer.from(hkdfSync('sha256', seed, '', purpose, 32)),
  };
}

function readKey(file: string): KeyObject {
  try {
    const key = createPrivateKey(readFileSync(file));
    if (key.asymmetricKeyType === 'ed25519') return key;
    throw new Error(`it holds a key of type ${key.asymmetricKeyType}`);
  } catch (cause) {
    throw new ProxyError(
      'CONFIG_INVALID',
      `${file} is not an Ed25519 private key (${(cause as Error).message}); move it away to start a new chain with a new key`,
      { file },
    ).withCause(cause);
  }
}

function createKey(dir: string): void {
  const published = join(dir, PUBLIC);
  // The chain that it signed can still be verified.
  if (existsSync(published)) {
    const old = sha256(readFileSync(published, 'utf8')).slice(0, 8);
    renameSync(published, join(dir, `activity-key-${old}.pub`));
  }
  const pair = generateKeyPairSync('ed25519');
  writePrivate(join(dir, PRIVATE), pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
}

function writePrivate(file: string, text: string): void {
  const handle = openSync(file, 'wx', 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  chmodSync(file, 0o600);
}

/** The public keys in the data directory: the current one and earlier ones. */
export function trustedKeys(dir: string): string[] {
  if (!existsSync(dir)) return [];
  const names = readdirSync(dir).filter((name) => /^activity-key(-.+)?\.pub$/.test(name));
  return names.map((name) => readFileSync(join(dir, name), 'utf8'));
}

export function createSignatureCheck(publicKey: string): (text: string, signature: unknown) => boolean {
  const key = createPublicKey(publicKey);
  return (text, signature) => {
    if (typeof signature !== 'string') return false;
    try {
      return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
    } catch {
      return false;
    }
  };
}
