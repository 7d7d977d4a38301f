import { isObject } from '../../json/index.ts';
import { digestOf, readClientFile, type FileContent } from './client-file.ts';
import { documentValue, undoDocument } from './edit/edit-document.ts';
import type { WrittenFile } from './manifest.ts';

/** A file as it would be without our parts. */
export interface TakenBack {
  /** Undefined: there is no such file. */
  text: string | undefined;
  /** `exact`: as before, byte for byte; `parts`: without our parts, with the changes of others; `left`: nothing could be taken back. */
  how: 'exact' | 'parts' | 'left';
  reason?: string;
}

/** Takes back what was written to a file. If nobody has edited it since, the text is the one from before. */
export async function takeBack(current: FileContent | undefined, written: WrittenFile): Promise<TakenBack> {
  if (current === undefined)
    return written.before === null
      ? { text: undefined, how: 'exact' }
      : { text: undefined, how: 'left', reason: 'the file is gone' };
  return untouched(current, written) ?? withoutParts(current, written);
}

/** Undefined if somebody has edited the file, or the copy of it is gone. */
function untouched(
  { text, digest }: FileContent,
  { before, after, copy }: WrittenFile,
): TakenBack | undefined {
  if (digest === before) return { text, how: 'exact' };
  if (digest !== after) return undefined;
  if (before === null) return { text: undefined, how: 'exact' };
  const kept = copy === null ? undefined : readClientFile(copy);
  return kept && 'text' in kept && kept.digest === before ? { text: kept.text, how: 'exact' } : undefined;
}

async function withoutParts({ text }: FileContent, written: WrittenFile): Promise<TakenBack> {
  if (written.syntax === null)
    return { text, how: 'left', reason: 'it was edited since; remove it if you do not need it' };
  const undone = await undoDocument(text, written.syntax, written.undo);
  if ('problem' in undone) return { text, how: 'left', reason: undone.problem };
  const isOurs = written.before === null && (await isEmptyDocument(undone.text, written));
  if (isOurs) return { text: undefined, how: 'parts' };
  return { text: undone.text, how: digestOf(undone.text) === written.before ? 'exact' : 'parts' };
}

async function isEmptyDocument(text: string, { syntax }: WrittenFile): Promise<boolean> {
  const read = await documentValue(text, syntax!);
  return (
    'value' in read && isObject(read.value) && Object.keys(read.value).length === 0 && !/[#/]/.test(text)
  );
}
