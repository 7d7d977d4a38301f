import type { ServerConfig } from '../contract/config.ts';
import type { OAuthConfig } from '../contract/oauth.ts';

/** Where a text of a server's settings is. */
export interface TextPlace {
  setting: 'command' | 'args' | 'env' | 'env_file' | 'cwd' | 'url' | 'headers' | 'oauth';
  /** The name of a variable or header, or the number of an argument. */
  key?: string;
}

/** A copy of the settings with every text that may contain a reference or a secret replaced. */
export function mapTexts(
  config: ServerConfig,
  change: (text: string, place: TextPlace) => string,
): ServerConfig {
  const next: ServerConfig = { ...config };
  for (const setting of ['command', 'env_file', 'cwd', 'url'] as const) {
    const text = config[setting];
    if (text !== undefined) next[setting] = change(text, { setting });
  }
  if (config.args)
    next.args = config.args.map((text, index) => change(text, { setting: 'args', key: String(index + 1) }));
  for (const setting of ['env', 'headers'] as const) {
    const values = config[setting];
    if (values)
      next[setting] = Object.fromEntries(
        Object.entries(values).map(([key, text]) => [key, change(text, { setting, key })]),
      );
  }
  if (config.oauth) next.oauth = mapOAuth(config.oauth, change);
  return next;
}

function mapOAuth(oauth: OAuthConfig, change: (text: string, place: TextPlace) => string): OAuthConfig {
  const texts = Object.entries(oauth).map(([key, value]) => [
    key,
    typeof value === 'string' ? change(value, { setting: 'oauth', key }) : value,
  ]);
  return Object.fromEntries(texts) as OAuthConfig;
}

/** Every text of the settings. */
export function textsOf(config: ServerConfig): string[] {
  const texts: string[] = [];
  mapTexts(config, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}
