import { isAbsolute, resolve } from 'node:path';
import { reachProblem, ServerTitle, type ServerConfig } from '../contract/config.ts';
import { readServerEntry, type EntryOrigin } from '../contract/entry/server-entry.ts';
import { isObject } from '../json/index.ts';
import { visibleLine } from '../lib/visible-text.ts';
import {
  documentInputs,
  documentServers,
  hasContainer,
  type AskedInput,
  type FoundEntry,
} from './document-servers.ts';
import { parseDocument, type Syntax } from './parse-document.ts';
import type { ParsedDocument } from './parsed-document.ts';
import { mapTexts, textsOf } from './setting-texts.ts';

/** A server of a client's file, with our own settings. */
export interface Candidate {
  name: string;
  config: ServerConfig;
  /** The client that the file belongs to. */
  client?: string;
  /** The project that the file keeps it for, where it is not for all. */
  folder?: string;
  /** Why it cannot be used, with line and key. */
  problem?: string;
  /** Parts that have no effect or a special meaning here. */
  warnings: string[];
  /** Values that it asks for. */
  inputs: AskedInput[];
}

export interface DocumentOrigin extends EntryOrigin {
  syntax?: Syntax | undefined;
  client?: string | undefined;
  /** The project folder of the file. */
  folder?: string | undefined;
  /** The folder of the file itself: paths in references are relative to it. */
  base?: string | undefined;
}

export type ReadDocument = { candidates: Candidate[] } | { problem: string };

const MAX_PROBLEMS = 5;

/** All servers of a text in the form of any client. One that cannot be used does not affect the others. */
export async function readCandidates(text: string, origin: DocumentOrigin = {}): Promise<ReadDocument> {
  // Some clients make an empty file first.
  if (text.trim() === '' && origin.client !== undefined) return { candidates: [] };
  const document = await parseDocument(text, origin.syntax);
  if ('problem' in document) return document;
  const found = documentServers(document.value);
  if (found.length === 0 && !hasContainer(document.value) && text.trim() !== '')
    return {
      problem:
        'it has no MCP servers: they are expected under "mcpServers", or under the key of another client, such as "servers" or "mcp_servers"',
    };
  const inputs = documentInputs(document.value);
  const servers = origin.client === 'goose' ? found.filter(({ entry }) => !isPartOfGoose(entry)) : found;
  return { candidates: servers.map((entry) => readCandidate(document, entry, { ...origin, inputs })) };
}

/** goose keeps its own parts, which only itself can start, among the servers. Nobody expects them to be imported. */
function isPartOfGoose(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  // An older goose wraps the settings.
  const type = entry.type ?? (isObject(entry.config) ? entry.config.type : undefined);
  return type === 'builtin' || type === 'platform' || type === 'frontend';
}

function readCandidate(
  document: ParsedDocument,
  found: FoundEntry,
  origin: DocumentOrigin & { inputs: AskedInput[] },
): Candidate {
  const read = readServerEntry(found.entry, origin);
  const problems = [
    ...(found.problem === undefined ? read.problems : [{ path: [], message: found.problem }]),
    ...nameProblems(found.name),
  ];
  const reasons = problems.slice(0, MAX_PROBLEMS).map(({ path, message }) => {
    const line = document.lineOf([...found.at, ...path]) ?? document.lineOf(found.at);
    const key = path.length > 0 ? `${path.join('.')}: ` : '';
    return visibleLine(`${line === undefined ? '' : `line ${line}: `}${key}${message}`);
  });
  const config = inFolder(read.config, { ...origin, folder: found.folder ?? origin.folder });
  return {
    name: found.name,
    config,
    ...(origin.client !== undefined && { client: origin.client }),
    ...(found.folder !== undefined && { folder: found.folder }),
    ...(reasons.length > 0 && { problem: reasons.join('; ') }),
    warnings: read.warnings,
    inputs: askedInputs(config, origin.inputs),
  };
}

/** After corrections of a person: the problem that is left. */
export function problemOf({ name, config }: Pick<Candidate, 'name' | 'config'>): string | undefined {
  const [problem] = [...nameProblems(name), ...[reachProblem(config)].filter((each) => each !== undefined)];
  return problem && visibleLine([...problem.path, problem.message].join(': '));
}

function nameProblems(name: string): Array<{ path: string[]; message: string }> {
  const parsed = ServerTitle.safeParse(name);
  return parsed.success ? [] : [{ path: [], message: `the name ${parsed.error.issues[0]!.message}` }];
}

const FOLDER = /\$\{(?:workspaceFolder|workspaceRoot|projectPath)(?::[^{}]*)?\}/g;
const BASENAME = /\$\{workspaceFolderBasename\}/g;
const RELATIVE_FILE = /\{file:(?!~|\/|[A-Za-z]:)([^{}]+)\}/g;

/** Replaces the folders of an editor, and makes paths absolute: the proxy runs in another folder. */
function inFolder(config: ServerConfig, { folder, base }: DocumentOrigin): ServerConfig {
  const root = folder ?? base;
  const next = mapTexts(config, (text, { setting }) => {
    let value = text;
    if (folder !== undefined)
      value = value.replace(FOLDER, () => folder).replace(BASENAME, () => folder.split(/[/\\]/).pop() ?? '');
    if (base !== undefined)
      value = value.replace(RELATIVE_FILE, (_, path: string) => `{file:${resolve(base, path)}}`);
    const isPath = setting === 'env_file' || setting === 'cwd';
    const isPlain = !value.includes('$') && !value.startsWith('~') && !isAbsolute(value);
    return isPath && isPlain && root !== undefined ? resolve(root, value) : value;
  });
  // The client starts a program of a project in the folder of the project.
  return folder !== undefined && next.command !== undefined && next.cwd === undefined
    ? { ...next, cwd: folder }
    : next;
}

const INPUT = /\$\{input:([^{}]+)\}/g;

/** The inputs that the settings of a server refer to. One that the file does not describe may be a secret. */
function askedInputs(config: ServerConfig, described: readonly AskedInput[]): AskedInput[] {
  const ids = textsOf(config).flatMap((text) => [...text.matchAll(INPUT)].map(([, id]) => id!.trim()));
  return [...new Set(ids)].map((id) => described.find((input) => input.id === id) ?? { id, secret: true });
}

/** The settings with the values of inputs in their places. */
export function withInputs(config: ServerConfig, valueOf: (id: string) => string | undefined): ServerConfig {
  return mapTexts(config, (text) => text.replace(INPUT, (whole, id: string) => valueOf(id.trim()) ?? whole));
}
