import { isDeepStrictEqual } from 'node:util';
import { ProxyError } from '../../contract/errors.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import { documentServers } from '../document-servers.ts';
import { linkProblem, readClientFile, writeProblem, type FileContent } from './client-file.ts';
import { documentValue, editDocument } from './edit/edit-document.ts';
import type { Edit, Undo } from './edit/edits.ts';
import type { Connected, WrittenFile } from './manifest.ts';
import type { FilePart } from './recipes/recipe.ts';
import { takeBack } from './take-back.ts';

/** What becomes of one file. */
export interface FileChange {
  file: string;
  syntax: WrittenFile['syntax'];
  current: FileContent | undefined;
  /** The text without our parts; undefined if there is no file without them. */
  base: string | undefined;
  /** True: the base is that of the earlier connection, so its copy stays. */
  isSameBase: boolean;
  text: string;
  edits: readonly Edit[];
  undo: Undo[];
}

/** The changes of all files of a connection; `folder`: of the project that it is for. Nothing is written. Throws if one of them cannot be changed. */
export async function planFiles(
  parts: readonly FilePart[],
  {
    taken,
    before,
    folder,
  }: { taken: Connected['taken']; before: Connected | undefined; folder: string | null },
): Promise<FileChange[]> {
  const others = new Set(taken.map(({ file }) => file));
  for (const { file } of parts) others.delete(file);
  const all = [
    ...parts,
    ...[...others].map((file): FilePart => ({ file, syntax: syntaxOf(file), edits: [] })),
  ];
  const changes: FileChange[] = [];
  for (const part of all) {
    const problem = linkProblem(part.file, folder);
    if (problem !== undefined) throw cannotChange(part.file, problem);
    const inFile = taken.filter(({ file }) => file === part.file);
    const written = before?.files.find(({ file }) => file === part.file);
    changes.push(await planFile(part, { taken: inFile, written }));
  }
  return changes;
}

/** Settings that people write. Larger ones would take minutes. */
const MAX_LENGTH = 4 * 1024 * 1024;

function syntaxOf(file: string): 'json' | 'toml' | 'yaml' {
  if (file.endsWith('.toml')) return 'toml';
  return /\.ya?ml$/.test(file) ? 'yaml' : 'json';
}

async function planFile(
  part: FilePart,
  { taken, written }: { taken: Connected['taken']; written: WrittenFile | undefined },
): Promise<FileChange> {
  const { file } = part;
  const current = writableFile(file);
  const earlier = written && (await takeBack(current, written));
  const base = earlier ? earlier.text : current?.text;
  const common = { file, current, base, isSameBase: earlier?.how === 'exact' };
  // A file of another origin under our name is kept as a copy.
  if ('text' in part) return { ...common, syntax: null, text: part.text, edits: [], undo: [] };
  return { ...common, ...(await editedText(part, base ?? '', taken)) };
}

async function editedText(
  { file, syntax, edits: wanted }: Extract<FilePart, { edits: unknown }>,
  base: string,
  taken: Connected['taken'],
): Promise<Pick<FileChange, 'syntax' | 'text' | 'edits' | 'undo'>> {
  if (syntax !== 'json' && base.length > MAX_LENGTH)
    throw cannotChange(file, `it is larger than ${MAX_LENGTH / 1024 / 1024} MB`);
  const read = await documentValue(base, syntax);
  if ('problem' in read) throw cannotChange(file, read.problem);
  const own = typeof wanted === 'function' ? wanted(read.value) : wanted;
  // A server of another origin under our name makes room for our entry.
  const isOwn = (edit: Edit) => own.some((each) => isDeepStrictEqual(pathOf(each), pathOf(edit)));
  const edits = [...own, ...takenEdits(read.value, taken).filter((edit) => !isOwn(edit))];
  const edited = await editDocument(base, syntax, edits);
  if ('problem' in edited) throw cannotChange(file, edited.problem);
  return { syntax, text: edited.text, edits, undo: edited.undo };
}

const pathOf = (edit: Edit) => ('at' in edit ? edit.at : undefined);

function writableFile(file: string): FileContent | undefined {
  const current = readClientFile(file);
  const problem = current && 'problem' in current ? current.problem : writeProblem(file);
  if (problem !== undefined) throw cannotChange(file, problem);
  return current as FileContent | undefined;
}

/** The edits that take servers out of a document. */
function takenEdits(document: unknown, taken: Connected['taken']): Edit[] {
  const isTaken = (name: string, place: string | undefined) =>
    taken.some(({ names, folder }) => folder === place && names.includes(name));
  return documentServers(document)
    .filter(({ name, folder }) => isTaken(name, folder))
    .map(({ at, name }) => ({
      at: at.map((step) => (typeof step === 'number' ? { item: name } : step)),
      value: undefined,
    }));
}

function cannotChange(file: string, problem: string): ProxyError {
  return new ProxyError('CONFIG_INVALID', visibleLine(`${file} cannot be changed: ${problem}`), {
    client_file: file,
  });
}
