import { isObject } from '../../json/index.ts';
import { TOKEN_PREFIX } from '../../contract/token.ts';
import { documentValue } from './edit/edit-document.ts';
import type { FileChange } from './plan-files.ts';

/** Names of objects whose values are often secrets: env, environment, envs, headers, http_headers, inputs. */
const GROUP = /^(?:envs?|environment|.*headers?|inputs)$/i;

/** The values of `env` and `headers` in a file that are not ours. None of them is shown, whatever it looks like. */
export async function foreignValues({ syntax, current, text, edits }: FileChange): Promise<string[]> {
  if (syntax === null) return [];
  const ours = new Set(textsIn(edits.map((edit) => ('at' in edit ? edit.value : edit.values))));
  const found = new Set<string>();
  for (const each of [current?.text ?? '', text]) {
    const read = await documentValue(each, syntax);
    if ('value' in read) collect(read.value, false, found);
  }
  return [...found].filter((value) => !ours.has(value) && !value.includes(TOKEN_PREFIX));
}

function collect(value: unknown, isInside: boolean, found: Set<string>): void {
  if (isInside) for (const text of textsIn(value)) found.add(text);
  else if (Array.isArray(value)) for (const each of value) collect(each, false, found);
  else if (isObject(value))
    for (const [key, each] of Object.entries(value)) collect(each, GROUP.test(key), found);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
