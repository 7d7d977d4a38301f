import type { ServerConfig } from '../../contract/config.ts';
import { scopesOf } from '../../contract/oauth.ts';
import type { Resolve } from '../connection/secrets.ts';
import type { AuthSettings } from './server-auth.ts';

/** Only of a URL, and not where the operator has configured a credential or switched it off. */
export function canLogIn({ url, oauth, headers = {} }: ServerConfig): boolean {
  return url !== undefined && oauth !== false && !hasCredential(headers);
}

export function hasCredential(headers: Record<string, string>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

/** The settings of a log-in, with references resolved. */
export function authSettings(
  { url = '', oauth }: ServerConfig,
  resolve: Resolve,
  documentUrl: string | undefined,
): AuthSettings {
  const take = (text: string): string => resolve(text, undefined, { plain: true });
  const given = oauth || {};
  const texts = Object.entries(given).map(([key, value]) => [
    key,
    typeof value === 'string' ? take(value) : value,
  ]);
  return {
    url: new URL(take(url)),
    oauth: {
      ...(documentUrl !== undefined && { client_metadata_url: documentUrl }),
      ...(Object.fromEntries(texts) as Omit<typeof given, 'scopes'>),
      ...(given.scopes !== undefined && { scopes: scopesOf(given.scopes) }),
    },
  };
}
