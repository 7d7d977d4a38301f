import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import {
  CLIENTS,
  knownFolders,
  type ClientProgram,
  type ClientScope,
  type Surroundings,
} from './client-programs.ts';
import { fileProblem } from '../lib/visible-text.ts';
import type { Syntax } from './parse-document.ts';
import { readCandidates, type Candidate } from './read-candidates.ts';

/** A file of a client, with its servers. */
export interface FoundFile {
  /** Absent for a file that a person named and that no client is known for. */
  client?: string;
  title: string;
  scope: ClientScope;
  file: string;
  servers: Candidate[];
  /** Why the file cannot be read. */
  problem?: string;
}

/** State files of clients can be large; their servers are a small part of them. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 100;

/** The files of all clients, or of one, that exist here. Files without servers are left out. */
export async function findClientFiles(around: Surroundings, client?: string): Promise<FoundFile[]> {
  const chosen = client === undefined ? CLIENTS : CLIENTS.filter(({ id }) => id === client);
  const found: FoundFile[] = [];
  for (const program of chosen)
    for (const place of placesOf(program, around)) {
      const text = textOf(place.file);
      if (text === undefined) continue;
      const read = await readFoundFile({ ...place, program, text });
      if (read.servers.length > 0 || read.problem !== undefined) found.push(read);
    }
  return found;
}

/** A file that a person named. */
export async function readNamedFile(file: string, around: Surroundings): Promise<FoundFile> {
  const text = textOf(file);
  if (text === undefined)
    return { title: basename(file), scope: 'user', file, servers: [], problem: 'no such file' };
  for (const program of CLIENTS) {
    const place = placesOf(program, around).find((each) => each.file === file) ?? projectPlace(program, file);
    if (place) return readFoundFile({ ...place, program, text });
  }
  return readFoundFile({ file, scope: 'user', text });
}

/** A text that a person gave. */
export async function readNamedText(text: string): Promise<FoundFile> {
  return readFoundFile({ file: '-', scope: 'user', text });
}

interface Place {
  file: string;
  scope: ClientScope;
  folder?: string;
}

function placesOf(program: ClientProgram, around: Surroundings): Place[] {
  const user = program.user(knownFolders(around)).flatMap(filesAt);
  const project = program.project.flatMap((path) => filesAt(join(around.cwd, path)));
  const files = new Set(user);
  return [
    ...user.map((file): Place => ({ file, scope: 'user' })),
    // In the home directory the files of a project are those of the user.
    ...project
      .filter((file) => !files.has(file))
      .map((file): Place => ({ file, scope: 'project', folder: around.cwd })),
  ];
}

/** A project file elsewhere: its client and folder follow from its path. */
function projectPlace({ project }: ClientProgram, file: string): Place | undefined {
  const plain = file.replaceAll('\\', '/');
  const path = project.find((each) => !each.endsWith('*') && plain.endsWith(`/${each}`));
  return path === undefined
    ? undefined
    : { file, scope: 'project', folder: plain.slice(0, -path.length - 1) };
}

function filesAt(path: string): string[] {
  if (basename(path) !== '*') return [path];
  try {
    return readdirSync(dirname(path))
      .filter((name) => SYNTAXES[extname(name)] !== undefined)
      .slice(0, MAX_FILES)
      .map((name) => join(dirname(path), name));
  } catch {
    return [];
  }
}

const SYNTAXES: Readonly<Record<string, Syntax | undefined>> = {
  '.json': 'json',
  '.jsonc': 'json',
  '.toml': 'toml',
  '.yaml': 'yaml',
  '.yml': 'yaml',
};

async function readFoundFile({
  file,
  scope,
  folder,
  program,
  text,
}: Place & { program?: ClientProgram; text: string | { problem: string } }): Promise<FoundFile> {
  const found = {
    ...(program && { client: program.id }),
    title: program?.title ?? basename(file),
    scope,
    file,
  };
  if (typeof text !== 'string') return { ...found, servers: [], ...text };
  const read = await readCandidates(text, {
    ...program?.origin,
    syntax: SYNTAXES[extname(file)],
    client: program?.id,
    folder,
    base: file === '-' ? undefined : dirname(file),
  });
  if ('candidates' in read) return { ...found, servers: read.candidates };
  // Settings of an editor without servers are nothing that a person has to know of.
  const isOther = program !== undefined && read.problem.startsWith('it has no MCP servers');
  return { ...found, servers: [], ...(!isOther && { problem: read.problem }) };
}

/** Undefined if there is no such file. */
function textOf(file: string): string | { problem: string } | undefined {
  let handle: number;
  try {
    // Opening a pipe would otherwise block.
    handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? undefined
      : { problem: `cannot be read: ${fileProblem(error)}` };
  }
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile()) return { problem: 'is not a file' };
    if (stat.size > MAX_BYTES) return { problem: `is larger than ${MAX_BYTES} bytes` };
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}
