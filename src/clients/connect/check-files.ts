import { isDeepStrictEqual } from 'node:util';
import { digestOf, readClientFile } from './client-file.ts';
import { documentValue } from './edit/edit-document.ts';
import { shownPath, valueAt } from './edit/edits.ts';
import type { Connected, WrittenFile } from './manifest.ts';
import { maskedValue, tokensIn } from './write-files.ts';

/** What differs from what was written, for people. Empty: all our parts are there. */
export async function checkFiles({ files, token }: Connected): Promise<string[]> {
  const problems: string[] = [];
  for (const file of files)
    problems.push(...(await checkFile(file, token.digest)).map((each) => `${file.file}: ${each}`));
  return problems;
}

async function checkFile(written: WrittenFile, tokenDigest: string): Promise<string[]> {
  const current = readClientFile(written.file);
  if (current === undefined) return ['the file is gone'];
  if ('problem' in current) return [current.problem];
  const others = tokensIn(current.text).some((token) => digestOf(token) !== tokenDigest);
  const stale = others ? ['it has another token'] : [];
  if (current.digest === written.after) return stale;
  if (written.syntax === null) return ['it was edited'];
  const read = await documentValue(current.text, written.syntax);
  if ('problem' in read) return [read.problem];
  return [...written.edits.flatMap((edit) => missing(read.value, edit)), ...stale];
}

function missing(document: unknown, edit: WrittenFile['edits'][number]): string[] {
  if ('list' in edit) {
    const list = valueAt(document, edit.list);
    const gone = edit.values.filter((value) => !Array.isArray(list) || !list.includes(value));
    return gone.length === 0 ? [] : [`${shownPath(edit.list)} has no ${gone.join(', ')}`];
  }
  const now = valueAt(document, edit.at);
  if (isDeepStrictEqual(maskedValue(now), edit.value)) return [];
  if (edit.value === undefined) return [`${shownPath(edit.at)} is there again`];
  return [now === undefined ? `${shownPath(edit.at)} is missing` : `${shownPath(edit.at)} was changed`];
}
