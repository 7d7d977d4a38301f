import { chmodSync, rmSync } from 'node:fs';
import { temporaryFor, writeFileAtomically } from '../../config/index.ts';
import { TOKEN_PREFIX } from '../../contract/token.ts';
import {
  digestOf,
  isAsRead,
  copyName,
  linkProblem,
  makeFolders,
  missingFolders,
  readClientFile,
  removeFolders,
  writeCopy,
  writeProblem,
  type FileContent,
} from './client-file.ts';
import type { Edit } from './edit/edits.ts';
import type { WrittenFile } from './manifest.ts';
import type { FileChange } from './plan-files.ts';
import type { ConnectScope } from './recipes/recipe.ts';
import { takeBack, type TakenBack } from './take-back.ts';

const OTHERS = 0o077;
/** `TOKEN_PREFIX`, and letters and digits. */
const TOKEN = /mcpp_\w+/g;
export const MASKED_TOKEN = `${TOKEN_PREFIX}***`;

/** A text without tokens in it. */
export const withoutTokens = (text: string): string => text.replace(TOKEN, MASKED_TOKEN);

/** A value of a document without tokens in it. */
export function maskedValue<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(withoutTokens(JSON.stringify(value))) as T);
}

export const tokensIn = (text: string): string[] => text.match(TOKEN) ?? [];

interface Written {
  record: WrittenFile;
  /** Throws `ChangedMeanwhile` where the file is no longer the one that was read. */
  write(): void;
  /** Takes it back, also where it was only prepared. */
  undo(): void;
  /** After all files are written: removes what nobody needs now. */
  finish(): void;
}

/** A program has written the file since it was read. */
export class ChangedMeanwhile extends Error {}

/** Prepares the change of a file: its record comes first, so that an interruption leaves nothing unknown. */
export function prepareWrite(
  change: FileChange,
  { scope, previous, now }: { scope: ConnectScope; previous: WrittenFile | undefined; now: number },
): Written {
  const { file, current, base, text } = change;
  const isChanged = current?.text !== text;
  const keepsCopy = change.isSameBase && previous !== undefined;
  const copy = keepsCopy ? previous.copy : copyFor(change, now);
  let isCopied = false;
  const mode = modeFor(change, scope);
  const temporary = previous?.temporary ?? temporaryFor(file);
  const record: WrittenFile = {
    file,
    syntax: change.syntax,
    before: base === undefined ? null : digestOf(base),
    after: digestOf(text),
    copy,
    temporary,
    mode: previous ? previous.mode : modeBefore(current, mode),
    made: [...missingFolders(file), ...(previous ? previous.made : [])],
    edits: change.edits.map((edit) =>
      'at' in edit ? { at: [...edit.at], value: maskedValue(edit.value) } : copyOf(edit),
    ),
    undo: change.undo.map((undo) => ({ ...undo }) as WrittenFile['undo'][number]),
  };
  let isWritten = false;
  return {
    record,
    write() {
      if (!isAsRead(file, current)) throw new ChangedMeanwhile();
      if (!isChanged && current.mode === mode) return;
      if (copy !== null && !keepsCopy) {
        writeCopy(copy, file, base!);
        isCopied = true;
      }
      makeFolders(file, scope === 'user' ? 0o700 : 0o777);
      replaceFile(record, text, mode);
      isWritten = true;
    },
    undo() {
      if (isCopied) rmSync(copy!, { force: true });
      const written = isWritten ? readClientFile(file) : undefined;
      // What a program has written since is not ours to remove.
      if (written && 'text' in written && written.text === text) {
        if (current) replaceFile(record, current.text, current.mode);
        else rmSync(file, { force: true });
      }
      removeFolders(record.made);
    },
    finish() {
      if (previous?.copy && previous.copy !== copy) rmSync(previous.copy, { force: true });
    },
  };
}

function replaceFile({ file, temporary }: WrittenFile, text: string, mode: number): void {
  removeTemporary({ temporary });
  writeFileAtomically(file, text, { mode, ...(temporary !== undefined && { temporary }) });
}

function removeTemporary({ temporary }: Pick<WrittenFile, 'temporary'>): void {
  if (temporary !== undefined) rmSync(temporary, { force: true });
}

const copyOf = (edit: Exclude<Edit, { at: unknown }>) => ({ list: [...edit.list], values: [...edit.values] });

/** The name for the copy of a file that changes. One that is ours, or that stays as it is, has none. */
function copyFor({ file, current, base, text }: FileChange, now: number): string | null {
  return base === undefined || current?.text === text ? null : copyName(file, now);
}

const modeBefore = (current: FileContent | undefined, mode: number): number | null =>
  current === undefined || current.mode === mode ? null : current.mode;

/** A file with a token in it is for the user alone. */
function modeFor({ current, text }: FileChange, scope: ConnectScope): number {
  const mode = current?.mode ?? (scope === 'user' ? 0o600 : 0o644);
  return tokensIn(text).length > 0 ? mode & ~OTHERS : mode;
}

export interface RestoredFile {
  file: string;
  /** `restored`: as it was before, byte for byte; `edited`: our parts were removed; `removed`: it was ours; `left`: see the reason. */
  change: 'restored' | 'edited' | 'removed' | 'left';
  reason?: string;
  /** The dated copy, where it stays: somebody has edited the file since. */
  copy?: string;
}

/** How often a file is read again that its program writes at the same time. */
export const ATTEMPTS = 5;

/** Takes our parts out of a file; `folder`: of the project that it is for. */
export async function restoreFile(written: WrittenFile, folder: string | null): Promise<RestoredFile> {
  const { file } = written;
  const link = linkProblem(file, folder);
  if (link !== undefined) return { file, change: 'left', reason: link };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const current = readClientFile(file);
    if (current && 'problem' in current) return { file, change: 'left', reason: current.problem };
    const taken = await takeBack(current, written);
    if (isAsRead(file, current)) return restored(written, current, taken);
  }
  return { file, change: 'left', reason: BUSY, ...copyIn(written) };
}

export const BUSY = 'a program writes it all the time. End the program, then run the command again';

const copyIn = ({ copy }: WrittenFile) => (copy === null ? {} : { copy });

function restored(
  written: WrittenFile,
  current: FileContent | undefined,
  { text, how, reason }: TakenBack,
): RestoredFile {
  const { file, copy, made } = written;
  if (how === 'left')
    return { file, change: 'left', ...(reason !== undefined && { reason }), ...copyIn(written) };
  const problem = text === undefined || !current ? undefined : writeProblem(file);
  if (problem !== undefined) return { file, change: 'left', reason: problem, ...copyIn(written) };
  if (text === undefined) rmSync(file, { force: true });
  else if (current) writeBack(written, current, text);
  if (how === 'exact') removeCopy(copy);
  removeTemporary(written);
  removeFolders(made);
  if (text === undefined) return { file, change: 'removed' };
  return how === 'exact' ? { file, change: 'restored' } : { file, change: 'edited', ...copyIn(written) };
}

function removeCopy(copy: string | null): void {
  if (copy !== null) rmSync(copy, { force: true });
}

function writeBack(written: WrittenFile, current: FileContent, text: string): void {
  const { file, mode } = written;
  if (text !== current.text) replaceFile(written, text, current.mode);
  if (mode !== null && tokensIn(text).length === 0) chmodSync(file, mode);
}
