import { parse, printParseErrorCode, type JSONPath, type Node, type ParseError } from 'jsonc-parser';
import { z } from 'zod';
import { Config, ServerConfig, type ConfiguredServer } from '../contract/config.ts';
import { ProxyError } from '../contract/errors.ts';
import { exampleAt, issueText, leafIssues } from '../contract/issue-text.ts';
import { readServerEntry, type ServerEntry } from '../contract/entry/server-entry.ts';
import { isObject, textExceedsDepth, type JsonObject } from '../json/index.ts';
import { isNamedWithin } from './real-path.ts';
import { visibleLine } from '../lib/visible-text.ts';
import { filePlaces, valueOf, type FilePlaces } from './file/file-places.ts';
import { CONTAINERS, fileServers, isContainer, type FileServer } from './file/file-servers.ts';
import { nearestKey, resemblesSetting } from './file/nearest-key.ts';
import { dataDirOf, defaultDataDir, type Overrides } from './settings.ts';

const MAX_PROBLEMS = 10;
const MAX_KEY = 100;

export interface ReadConfig {
  config: Config;
  /** Problems that do not prevent the proxy from serving, each with file, line, column and key. */
  warnings: string[];
}

/** Everything that is wrong with a file. */
export interface CheckedConfig {
  /** Why the proxy would not start with the file, each with file, line, column and key. */
  problems: string[];
  /** As in ReadConfig. */
  warnings: string[];
  mcpServers: Config['mcpServers'];
  /** Undefined where there are problems. */
  settings: Omit<Config, 'mcpServers'> | undefined;
}

interface Source {
  file: string;
  places: FilePlaces;
}

export function parseConfig(text: string, file: string, overrides: Overrides = {}): Config {
  return readConfig(text, file, overrides).config;
}

/**
 * Parses JSON with comments. Invalid JSON and invalid settings of the proxy throw CONFIG_INVALID with every problem by file, line, column
 * and key. A server that cannot be used stays in the configuration, with its problem.
 */
export function readConfig(text: string, file: string, overrides: Overrides = {}): ReadConfig {
  const { problems, warnings, mcpServers, settings } = checkConfig(text, file, overrides);
  if (!settings) {
    const shown = problems.slice(0, MAX_PROBLEMS);
    if (problems.length > MAX_PROBLEMS) shown.push(`… and ${problems.length - MAX_PROBLEMS} more`);
    throw new ProxyError('CONFIG_INVALID', shown.join('\n'), { file, problems: shown });
  }
  return { config: { ...settings, mcpServers }, warnings };
}

/** Finds all problems of the settings and of the servers together. Where the text is no JSON object, there is nothing more to check. */
export function checkConfig(text: string, file: string, overrides: Overrides = {}): CheckedConfig {
  const inFile = (problems: string[]) => problems.map((problem) => `${file}:${problem}`);
  const nothing = { warnings: [], mcpServers: {}, settings: undefined };
  const malformed = syntaxProblems(text);
  if (malformed.length > 0) return { ...nothing, problems: inFile(malformed) };
  const source = { file, places: filePlaces(text) };
  const { tree } = source.places;
  const value = text.trim() === '' || !tree ? {} : valueOf(tree);
  if (!isObject(value)) {
    const problems = schemaProblems(source, Config.safeParse(value).error!.issues);
    return { ...nothing, problems: inFile(problems) };
  }
  const servers = fileServers(value);
  const forbidden = forbiddenKeys(tree);
  const { settings, unknown } = ownSettings(value);
  const parsed = Config.safeParse({ ...settings, ...overrides });
  const problems = [
    ...forbiddenProblems(source, forbidden, servers),
    ...(parsed.success ? witnessProblems(source, parsed.data) : schemaProblems(source, parsed.error.issues)),
  ];
  const read = servers.map((server) => readServer(source, server, forbidden));
  const mcpServers = Object.create(null) as Record<string, ConfiguredServer>;
  for (const { alias, server } of read) mcpServers[alias] = server;
  const unused = unknown.map(
    (key) => `${file}:${source.places.of([key])}: ${pathText([key])}: ignored, not a setting of mcpproxy`,
  );
  return {
    problems: inFile(problems),
    warnings: [...unused, ...read.flatMap(({ warnings }) => warnings)],
    mcpServers,
    settings: problems.length === 0 ? parsed.data : undefined,
  };
}

/** A witness must not write to the files of the proxy itself. Links are found when it is used, as its mount may hang. */
function witnessProblems({ places }: Source, config: Config): string[] {
  const dataDir = dataDirOf(config, { defaultDataDir: defaultDataDir() });
  return (config.activity.witness ?? []).flatMap(({ file }, index) => {
    const path = ['activity', 'witness', index, 'file'];
    return file !== undefined && isNamedWithin(dataDir, file)
      ? [`${places.of(path)}: ${pathText(path)}: must not be in the data directory ${visibleLine(dataDir)}`]
      : [];
  });
}

/** The settings of the proxy, without the servers and without the keys of other clients. */
function ownSettings(file: JsonObject): { settings: JsonObject; unknown: string[] } {
  const settings: JsonObject = {};
  const unknown: string[] = [];
  for (const [key, value] of Object.entries(file)) {
    const container = CONTAINERS.find((name) => name === key);
    if (container && isContainer(container, value)) continue;
    if (Object.hasOwn(Config.shape, key) || resemblesSetting(key)) settings[key] = value;
    else unknown.push(key);
  }
  return { settings, unknown };
}

interface ReadServer {
  alias: string;
  server: ConfiguredServer;
  warnings: string[];
}

function readServer({ file, places }: Source, found: FileServer, forbidden: JSONPath[]): ReadServer {
  const { at, name, alias } = found;
  const read = readServerEntry(found.entry);
  const problems = problemsOf(found, read, forbidden).slice(0, MAX_PROBLEMS);
  const reasons = problems.map(({ path, message }) => {
    const [line] = places.of([...at, ...path]).split(':');
    return `line ${line}: ${path.length > 0 ? `${pathText(path)}: ` : ''}${visibleLine(message)}`;
  });
  const failing = problems.map(({ path, message }) => {
    const whole = [...at, ...path];
    return `${file}:${places.of(whole)}: ${pathText(whole)}: ${visibleLine(message)}; this server is not available, the others are`;
  });
  const noted = visibleLine(read.warnings.join('; '));
  return {
    alias,
    server: {
      ...read.config,
      ...(alias !== name && { title: name }),
      ...(reasons.length > 0 && { problem: `its configuration cannot be used: ${reasons.join('; ')}` }),
      ...(noted !== '' && { warnings: read.warnings }),
    },
    warnings: [...failing, ...(noted === '' ? [] : [`${file}:${places.of(at)}: ${pathText(at)}: ${noted}`])],
  };
}

function problemsOf(
  { at, problem }: FileServer,
  { problems }: ServerEntry,
  forbidden: JSONPath[],
): Array<{ path: JSONPath; message: string }> {
  if (problem !== undefined) return [{ path: [], message: problem }];
  const keys = forbidden.filter((path) => path.length > at.length + 1 && isWithin(path, at));
  return [
    ...keys.map((path) => ({ path: path.slice(at.length), message: 'this key is not allowed' })),
    ...problems,
  ];
}

function syntaxProblems(text: string): string[] {
  if (textExceedsDepth(text)) return ['the file is nested too deeply'];
  const errors: ParseError[] = [];
  parse(text, errors, { allowTrailingComma: true });
  if (errors.length === 0) return [];
  const places = filePlaces(text);
  return errors.map(({ error, offset }) => `${places.at(offset)}: ${sentence(printParseErrorCode(error))}`);
}

/** The value of a JSON text with comments, with places, or the first problem of its syntax. */
export function checkJson(text: string): { value: unknown; places: FilePlaces } | { problem: string } {
  const [problem] = syntaxProblems(text);
  if (problem !== undefined) {
    const [, line, column, what] = /^(\d+):(\d+): (.*)$/.exec(problem) ?? [];
    return {
      problem: line === undefined ? problem : `line ${line}, column ${column}: invalid JSON: ${what}`,
    };
  }
  const places = filePlaces(text);
  return { value: valueOf(places.tree), places };
}

/** A key __proto__ inside a server is a problem of that server; elsewhere the file is invalid. */
function forbiddenProblems({ places }: Source, forbidden: JSONPath[], servers: FileServer[]): string[] {
  const containers = new Set(servers.map(({ at }) => at[0]));
  return forbidden
    .filter((path) => path.length < 2 || !containers.has(path[0]))
    .map((path) => `${places.of(path)}: the key __proto__ is not allowed`);
}

function forbiddenKeys(node: Node | undefined, at: JSONPath = []): JSONPath[] {
  return (node?.children ?? []).flatMap((child, index) => {
    if (node!.type === 'array') return forbiddenKeys(child, [...at, index]);
    const [key, value] = child.children ?? [];
    const path = [...at, key?.value as string];
    const below = forbiddenKeys(value, path);
    return key?.value === '__proto__' ? [path, ...below] : below;
  });
}

function isWithin(path: JSONPath, at: JSONPath): boolean {
  return at.every((step, index) => path[index] === step);
}

/** One problem for each key, and each example once. */
function schemaProblems(source: Source, issues: z.core.$ZodIssue[]): string[] {
  const seen = new Set<string>();
  const isNew = (text: string) => !seen.has(text) && seen.add(text);
  return leafIssues(issues).flatMap((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => unknownKey(source, [...issue.path, key]));
    const key = pathText(issue.path);
    if (!isNew(key)) return [];
    const example = exampleAt(Config, issue.path);
    const shown = example !== undefined && isNew(example) ? `; for example ${example}` : '';
    return [`${source.places.of(issue.path)}: ${key}: ${issueText(issue, Config)}${shown}`];
  });
}

function unknownKey({ places }: Source, path: PropertyKey[]): string {
  const near = nearestKey(String(path.at(-1)), path.slice(0, -1));
  return `${places.of(path)}: ${pathText(path)}: unknown key${near ? `; did you mean "${near}"?` : ''}`;
}

function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the file';
  return visibleLine(path.map((key) => String(key).slice(0, MAX_KEY)).join('.'));
}

function sentence(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

/** The configuration as JSON Schema, for editors and for the reference page. */
export function configJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(Config, { io: 'input', unrepresentable: 'any' }) as {
    properties: Record<string, unknown>;
  };
  // Code checks the two shapes of this key, so they are described here by hand.
  const server = z.toJSONSchema(ServerConfig, { io: 'input' });
  schema.properties.mcpServers = {
    description: 'Upstream servers: an object by name, or an array of objects with "name"',
    anyOf: [
      { type: 'object', additionalProperties: server },
      {
        type: 'array',
        items: { allOf: [{ type: 'object', required: ['name'], properties: { name: { type: 'string' } } }] },
      },
    ],
  };
  return schema;
}
