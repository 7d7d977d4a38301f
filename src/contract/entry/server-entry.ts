import type { z } from 'zod';
import { reachProblem, ServerConfig } from '../config.ts';
import { issueText } from '../issue-text.ts';
import type { EntryDraft, EntryOrigin } from './entry-draft.ts';
import { translateEntry } from './server-dialects.ts';

export type { EntryOrigin } from './entry-draft.ts';
export { nearestWord, plainWord, synonymsOf } from './foreign-keys.ts';

/** An entry of a configuration file, ours or that of another client, with its problems. */
export interface ServerEntry {
  /** The valid settings, with our own names. */
  config: ServerConfig;
  /** Why the entry cannot be used. Empty: it can. */
  problems: EntryProblem[];
  /** Parts that have no effect or a special meaning here. */
  warnings: string[];
}

export interface EntryProblem {
  path: string[];
  message: string;
}

export function readServerEntry(raw: unknown, origin?: EntryOrigin): ServerEntry {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    const message = 'must be an object with "command" or "url"';
    return { config: {}, problems: [{ path: [], message }], warnings: [] };
  }
  return checked(translateEntry(raw as Record<string, unknown>, origin));
}

/** A problem of one of these keys explains why there is no target. */
const EXPLAINS = ['command', 'url', 'type'];

/** Validates setting by setting, so that valid settings can be shown beside invalid ones. */
function checked({ settings, problems, warnings }: EntryDraft): ServerEntry {
  const config: Record<string, unknown> = {};
  const found = [...problems];
  for (const [key, value] of settings) {
    const parsed = ServerConfig.shape[key].safeParse(value);
    if (parsed.success) config[key] = parsed.data;
    else found.push(...parsed.error.issues.flatMap((issue) => issueProblems(key, issue)));
  }
  const isExplained = found.some(({ path }) => EXPLAINS.includes(path[0]!));
  const problem = isExplained ? undefined : reachProblem(config);
  return { config, problems: problem ? [problem, ...found] : found, warnings };
}

function issueProblems(key: SettingKey, issue: z.core.$ZodIssue): EntryProblem[] {
  const path = [key, ...issue.path.map(String)];
  return issue.code === 'unrecognized_keys'
    ? issue.keys.map((unknown) => ({ path: [...path, unknown], message: 'unknown key' }))
    : [{ path, message: issueText(issue, ServerConfig.shape[key]) }];
}

type SettingKey = keyof typeof ServerConfig.shape;
