import { chmodSync, rmSync } from 'node:fs';
import { writeFileAtomically } from '../../config/index.ts';
import { TOKEN_PREFIX } from '../../contract/token.ts';
import {
  digestOf,
  linkProblem,
  makeFolders,
  readClientFile,
  removeFolders,
  writeCopy,
  type FileContent,
} from './client-file.ts';
import type { Edit } from './edit/edits.ts';
import type { WrittenFile } from './manifest.ts';
import type { FileChange } from './plan-files.ts';
import type { ConnectScope } from './recipes/recipe.ts';
import { takeBack } from './take-back.ts';

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
  write(): void;
  undo(): void;
}

/** Prepares the change of a file: its record comes first, so that an interruption leaves nothing unknown. */
export function prepareWrite(
  change: FileChange,
  { scope, previous, now }: { scope: ConnectScope; previous: WrittenFile | undefined; now: number },
): Written {
  const { file, current, base, text } = change;
  const isChanged = current?.text !== text;
  const keepsCopy = change.isSameBase && previous !== undefined;
  const copy = keepsCopy ? previous.copy : copyFor(change, now);
  const mode = modeFor(change, scope);
  const record: WrittenFile = {
    file,
    syntax: change.syntax,
    before: base === undefined ? null : digestOf(base),
    after: digestOf(text),
    copy,
    mode: previous ? previous.mode : modeBefore(current, mode),
    made: previous ? previous.made : [],
    edits: change.edits.map((edit) =>
      'at' in edit ? { at: [...edit.at], value: maskedValue(edit.value) } : copyOf(edit),
    ),
    undo: change.undo.map((undo) => ({ ...undo }) as WrittenFile['undo'][number]),
  };
  return {
    record,
    write() {
      if (!isChanged && current.mode === mode) return;
      record.made = [...makeFolders(file), ...record.made];
      writeFileAtomically(file, text, mode);
      if (previous?.copy && previous.copy !== copy) rmSync(previous.copy, { force: true });
    },
    undo() {
      if (current) writeFileAtomically(file, current.text, current.mode);
      else rmSync(file, { force: true });
      if (copy !== null && !keepsCopy) rmSync(copy, { force: true });
      removeFolders(record.made);
    },
  };
}

const copyOf = (edit: Exclude<Edit, { at: unknown }>) => ({ list: [...edit.list], values: [...edit.values] });

/** The copy of a file that changes. One that is ours, or that stays as it is, has none. */
function copyFor({ file, current, base, text }: FileChange, now: number): string | null {
  return base === undefined || current?.text === text ? null : writeCopy(file, base, now);
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

/** Takes our parts out of a file; `folder`: of the project that it is for. */
export async function restoreFile(written: WrittenFile, folder: string | null): Promise<RestoredFile> {
  const { file, copy } = written;
  const link = linkProblem(file, folder);
  if (link !== undefined) return { file, change: 'left', reason: link };
  const current = readClientFile(file);
  if (current && 'problem' in current) return { file, change: 'left', reason: current.problem };
  const { text, how, reason } = await takeBack(current, written);
  const stays = copy === null ? {} : { copy };
  if (how === 'left') return { file, change: 'left', ...(reason !== undefined && { reason }), ...stays };
  if (text === undefined) rmSync(file, { force: true });
  else if (current) writeBack(written, current, text);
  if (how === 'exact') removeCopy(copy);
  removeFolders(written.made);
  if (text === undefined) return { file, change: 'removed' };
  return how === 'exact' ? { file, change: 'restored' } : { file, change: 'edited', ...stays };
}

function removeCopy(copy: string | null): void {
  if (copy !== null) rmSync(copy, { force: true });
}

function writeBack({ file, mode }: WrittenFile, current: FileContent, text: string): void {
  if (text !== current.text) writeFileAtomically(file, text, current.mode);
  if (mode !== null && tokensIn(text).length === 0) chmodSync(file, mode);
}
