import { one, type Found } from './found.ts';
import { isPlaceholder } from './placeholder.ts';

/** The option of curl and others: user:password, not the numbers of a user and a group. */
const USER = /[ \t]{0,8}["']?[A-Za-z0-9_.@+-]{0,64}:/y;
const VALUE = /(?!\/)[^\s"'`,;&|<>()]{3,200}/y;
const NO_PASSWORD = /^(?:\d+|\[?(?:password|pass|passwd|secret|token|test|yyy)\]?)$/i;

/** The password in `curl -u user:password`. */
export function userPassword(text: string, at: number): Found | null {
  USER.lastIndex = at;
  if (!USER.test(text)) return null;
  VALUE.lastIndex = USER.lastIndex;
  const value = VALUE.exec(text)?.[0];
  if (value === undefined || NO_PASSWORD.test(value) || isPlaceholder(value)) return null;
  return one('password', USER.lastIndex, USER.lastIndex + value.length);
}
