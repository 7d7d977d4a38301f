import type { ConfigChange } from '../../contract/status.ts';
import { canonicalJson, isObject } from '../../json/index.ts';
import { diffConfig, serverOf, type FlatConfig, type SettingChange } from '../diff-config.ts';
import { EFFECTS, type Effect } from './effects.ts';

export interface JudgedChange extends SettingChange {
  effect: Effect;
}

/** The differences between two configurations, each with its effect on the protection. */
export function judgeChanges(before: FlatConfig, after: FlatConfig): JudgedChange[] {
  const remaining = new Set(Object.keys(after).map(serverOf));
  return diffConfig(before, after).map((change) => {
    const server = serverOf(change.setting);
    const isRemoved = server !== undefined && !remaining.has(server);
    return { ...change, effect: isRemoved ? 'tightening' : effectOf(change) };
  });
}

/** A setting that the table does not know counts as weakening, and so does a change of which only a hidden part differs. */
function effectOf({ setting, change, before, after }: SettingChange): Effect {
  const values = [before, after];
  if (change === 'changed' && canonicalJson(before) === canonicalJson(after)) return 'weakening';
  if (values.some(isEmpty) && values.every((value) => value === undefined || isEmpty(value)))
    return 'neutral';
  const rule = ruleOf(keysOf(setting));
  return rule ? rule(before, after) : 'weakening';
}

/** An empty object, such as "env": {}, sets nothing. */
const isEmpty = (value: unknown) => isObject(value) && Object.keys(value).length === 0;

function ruleOf(keys: string[]) {
  const pattern = Object.keys(EFFECTS).find((each) => {
    const wanted = each.split('.');
    return wanted.length === keys.length && wanted.every((key, i) => key === '*' || key === keys[i]);
  });
  return pattern === undefined ? undefined : EFFECTS[pattern];
}

/** The keys of a setting such as `mcpServers.files.tools["a.b"].enabled`. */
function keysOf(setting: string): string[] {
  return [...setting.matchAll(/(?:^|\.)([^.[]*)|\[("(?:[^"\\]|\\.)*")\]/g)].map(([, plain, quoted]) =>
    quoted === undefined ? plain! : (JSON.parse(quoted) as string),
  );
}

/** The change as it is recorded. */
export function recordedChange({ setting, ...change }: JudgedChange): ConfigChange {
  const pointer = keysOf(setting).map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  return { path: pointer.join(''), ...change };
}
