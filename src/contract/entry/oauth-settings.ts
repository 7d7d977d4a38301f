import { OAuthConfig } from '../oauth.ts';
import { isEntry, withoutNulls, type Entry, type EntryDraft } from './entry-draft.ts';
import { listed, nearestWord, plainWord } from './foreign-keys.ts';

const KEYS = Object.keys(OAuthConfig.shape);
const SYNONYMS: Record<string, string> = { scope: 'scopes' };
/** Settings of clients that come back to the client itself, or that the proxy discovers. */
const FOREIGN = new Set(['redirectUri', 'callbackPort', 'authorizationUrl', 'tokenUrl', 'registrationUrl']);

/** `oauth` of most clients, and `auth` of Cursor, with our own names. Without a setting of ours it is discovered. */
export function translateOAuth(draft: EntryDraft, given: Entry): void {
  const raw = given.oauth ?? (isEntry(given.auth) ? given.auth : undefined);
  if (raw === undefined || raw === false) return;
  draft.settings.delete('oauth');
  if (!isEntry(raw)) {
    if (raw !== true) draft.problems.push({ path: ['oauth'], message: 'must be false, or an object' });
    return;
  }
  if (raw.enabled === false) return void draft.settings.set('oauth', false);
  const own = ownSettings(withoutNulls(raw), draft);
  if (Object.keys(own).length > 0) draft.settings.set('oauth', own);
}

function ownSettings(raw: Entry, { problems, warnings }: EntryDraft): Entry {
  const own: Entry = {};
  const others: string[] = [];
  for (const [key, value] of Object.entries(raw)) {
    const name = FOREIGN.has(key) ? undefined : ownName(key);
    const near = name === undefined && !FOREIGN.has(key) ? nearestWord(key, KEYS) : undefined;
    if (name !== undefined) own[name] = value;
    // A misspelt setting may be the one that protects.
    else if (near) problems.push({ path: ['oauth', key], message: `unknown key; did you mean "${near}"?` });
    else if (key !== 'enabled') others.push(key);
  }
  if (others.length > 0) warnings.push(`ignored keys in "oauth": ${listed(others)}`);
  return own;
}

function ownName(key: string): string | undefined {
  return SYNONYMS[key] ?? KEYS.find((each) => plainWord(each) === plainWord(key));
}
