import type { Database } from '../database.ts';
import type { Log } from '../../lib/log.ts';
import { newId } from '../../lib/clock.ts';
import type { SeenVersions, ToldVersion } from './seen-versions.ts';

type Message = { ask: string } | { versions: ToldVersion[] } | { claim: string; by: string };

/**
 * Proxies tell each other which versions of rows they have stored. Messages are encrypted and carry everything themselves: somebody who
 * changes rows, or puts them back, can neither make nor change one, and a proxy that has heard it does not take the older row.
 */
export interface ToldVersions {
  tell(version: ToldVersion): void;
  /** Resolves when the server has what was told; not when others have heard it. */
  flush(): Promise<void>;
  /** True for the first proxy that claims it: all of them hear all claims in one order. False where nothing can be heard now. */
  claim(what: string): Promise<boolean>;
  close(): void;
}

export interface ToldVersionsParts {
  db: Pick<Extract<Database, { engine: 'postgres' }>, 'notify' | 'onNotify'>;
  seen: Pick<SeenVersions, 'note' | 'all'>;
  encrypt: (text: string, bound: string) => string;
  decrypt: (box: string, bound: string) => string | undefined;
  log: Log;
}

const CHANNEL = 'mcpproxy_versions';
const BOUND = 'versions of rows';
/** A message has less than 8,000 bytes, and is a third longer than its contents. */
const MAX_CHARACTERS = 4_000;
const MAX_CLAIMS = 20_000;
const HEARD_WITHIN_MS = 2_000;

/** With SQLite there is one proxy. */
export const NOBODY: ToldVersions = {
  tell() {},
  flush: async () => {},
  claim: async () => true,
  close() {},
};

export function createToldVersions({ db, seen, encrypt, decrypt, log }: ToldVersionsParts): ToldVersions {
  const me = newId();
  let waiting: ToldVersion[] = [];
  let sending: Promise<void> = Promise.resolve();
  const claims = new Map<string, string>();
  const answers = new Map<string, (isFirst: boolean) => void>();

  const send = (message: Message) => db.notify(CHANNEL, encrypt(JSON.stringify(message), BOUND));

  async function sendAll(versions: readonly ToldVersion[]): Promise<void> {
    for (const part of inParts(versions)) await send({ versions: part });
  }

  function flush(): Promise<void> {
    const some = waiting;
    waiting = [];
    if (some.length > 0)
      sending = sending
        .then(() => sendAll(some))
        // A proxy that has missed it asks when it can listen again.
        .catch((error: unknown) => log.debug({ err: error }, 'versions of rows cannot be told to others'));
    return sending;
  }

  function heardClaim({ claim, by }: { claim: string; by: string }): void {
    if (!claims.has(claim)) claims.set(claim, by);
    if (claims.size > MAX_CLAIMS) claims.delete(claims.keys().next().value!);
    if (by.startsWith(me)) answers.get(by)?.(claims.get(claim) === by);
  }

  function hear(payload: string): void {
    const text = decrypt(payload, BOUND);
    if (text === undefined) return log.warn('a message between proxies was changed: it does not count');
    const message = JSON.parse(text) as Message;
    if ('claim' in message) heardClaim(message);
    else if ('versions' in message)
      for (const [table, row, version, until] of message.versions) seen.note(table, row, { version, until });
    else if (message.ask !== me) {
      waiting.push(...seen.all());
      void flush();
    }
    return undefined;
  }

  const stop = db.onNotify(CHANNEL, (payload) => {
    if (payload !== undefined) return hear(payload);
    // It listens from now on, and may have missed what was said before.
    return void send({ ask: me }).catch(() => {});
  });

  return {
    tell(version) {
      if (waiting.push(version) === 1) queueMicrotask(() => void flush());
    },
    flush,
    async claim(what) {
      const by = `${me} ${newId()}`;
      const heard = new Promise<boolean>((resolve) => {
        answers.set(by, resolve);
        setTimeout(() => resolve(false), HEARD_WITHIN_MS).unref();
      });
      try {
        await send({ claim: what, by });
        return await heard;
      } finally {
        answers.delete(by);
      }
    },
    close: stop,
  };
}

function* inParts(versions: readonly ToldVersion[]): Generator<ToldVersion[]> {
  let part: ToldVersion[] = [];
  let characters = 0;
  for (const version of versions) {
    const length = JSON.stringify(version).length;
    if (part.length > 0 && characters + length > MAX_CHARACTERS) {
      yield part;
      [part, characters] = [[], 0];
    }
    part.push(version);
    characters += length;
  }
  if (part.length > 0) yield part;
}
