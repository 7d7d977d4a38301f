import { hash } from 'node:crypto';

/** What all clients and model providers accept as the name of a tool. */
const MAX_LENGTH = 64;
const OTHER_CHARACTERS = /[^A-Za-z0-9_-]/g;

/** Marks a name that was changed to fit. No unchanged name ends like this. */
const MARK = '_-';
const DIGITS = 10;
const MARKED = /_-[0-9a-z]{10}$/;

/** A changed name keeps this much of the server's name; the rest is for the name of the tool. */
const SERVER_LENGTH = 20;

/**
 * The name of a tool in direct mode: `server__tool` where that fits and can be read back, else a shortened form with a digest. It depends
 * on the two names alone, so that no other tool can change it.
 */
export function directName(server: string, tool: string): string {
  const plain = `${server}__${tool}`;
  return isPlain(server, tool, plain) ? plain : marked(server, tool);
}

/** Whether the first `__` separates the server from the tool, and nothing has to be changed. */
function isPlain(server: string, tool: string, name: string): boolean {
  return (
    name.length <= MAX_LENGTH &&
    name.search(OTHER_CHARACTERS) < 0 &&
    !server.includes('__') &&
    !server.endsWith('_') &&
    tool !== '' &&
    !MARKED.test(tool)
  );
}

function marked(server: string, tool: string): string {
  const [first, second] = [server, tool].map((text) => text.replace(OTHER_CHARACTERS, '_')) as [
    string,
    string,
  ];
  const room = MAX_LENGTH - MARK.length - DIGITS;
  const full = `${first}__${second}`;
  const fitting = full.length <= room ? full : `${first.slice(0, SERVER_LENGTH)}__${second}`.slice(0, room);
  return `${fitting}${MARK}${digestOf(`${server}:${tool}`)}`;
}

/** The same in base 36: letters and digits of one case. */
function digestOf(name: string): string {
  const value = BigInt(`0x${hash('sha256', name, 'hex')}`) % 36n ** BigInt(DIGITS);
  return value.toString(36).padStart(DIGITS, '0');
}

/** `server:tool` of an unchanged name; undefined for every other text. */
export function readPlainName(name: string): string | undefined {
  const at = name.indexOf('__');
  if (at < 1) return undefined;
  const [server, tool] = [name.slice(0, at), name.slice(at + 2)];
  return isPlain(server, tool, name) ? `${server}:${tool}` : undefined;
}

export function isMarked(name: string): boolean {
  return name.length <= MAX_LENGTH && MARKED.test(name);
}
