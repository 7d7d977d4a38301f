import { resolveSecrets } from '../config/index.ts';
import type { ServerConfig } from '../contract/config.ts';
import { toProxyError } from '../contract/errors.ts';
import { textsOf } from './setting-texts.ts';

/** Variables of editors that have no value here: no environment will ever set them. */
const NEVER =
  /\$\{(?:workspaceFolder|workspaceRoot|workspaceFolderBasename|projectPath|(?!env:|file:|input:)[a-z][A-Za-z]*:)/;

/** References that have no value. A variable can still be set, so that is a warning; the name of an editor's folder is a failure. */
export function unresolvedProblem(config: ServerConfig): { failed?: string; warning?: string } {
  const missing: string[] = [];
  for (const text of textsOf(config)) {
    try {
      resolveSecrets(text, undefined, { plain: true, own: config.env ?? {} });
    } catch (error) {
      const { message } = toProxyError(error);
      if (NEVER.test(text)) return { failed: message };
      missing.push(message);
    }
  }
  if (missing.length === 0) return {};
  return { warning: `${[...new Set(missing)].join('; ')}; the server cannot start until it is` };
}
