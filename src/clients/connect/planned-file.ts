import { unifiedDiff, hasLongLine } from './diff.ts';
import { documentValue } from './edit/edit-document.ts';
import { foreignValues } from './foreign-values.ts';
import type { FileChange } from './plan-files.ts';
import { MASKED_TOKEN } from './write-files.ts';

/** What a connection does with a file, for people. */
export interface PlannedFile {
  file: string;
  change: 'create' | 'change' | 'none';
  diff: string;
  has_token: boolean;
}

export async function plannedFile(change: FileChange): Promise<PlannedFile> {
  const { file, current, text } = change;
  const isSame = current?.text === text;
  return {
    file,
    change: current === undefined ? 'create' : isSame ? 'none' : 'change',
    diff: isSame ? '' : await diffOf(change),
    has_token: text.includes(MASKED_TOKEN),
  };
}

async function diffOf(change: FileChange): Promise<string> {
  const { file, current, text, syntax } = change;
  const isDense = syntax === 'json' && hasLongLine(text);
  const [before, after] = isDense
    ? [await laidOut(current?.text), (await laidOut(text))!]
    : [current?.text, text];
  return unifiedDiff(file, { before, after, secrets: await foreignValues(change) });
}

/** Some programs write their file on one line. Its diff is shown as if it had one value per line. */
async function laidOut(text: string | undefined): Promise<string | undefined> {
  const read = text === undefined ? undefined : await documentValue(text, 'json');
  return read && 'value' in read ? JSON.stringify(read.value, null, 2) : text;
}
