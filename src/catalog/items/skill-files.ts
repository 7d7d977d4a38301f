import type { Catalog } from '../catalog.ts';
import { isObject, type JsonObject } from '../../json/index.ts';
import { normalUri } from './normal-uri.ts';

/** What a server says about a file of a skill. */
export interface SkillFile extends ListedFile {
  /** The name of the skill in the catalog. */
  skill: string;
}

interface ListedFile {
  uri: string;
  digest: unknown;
  size: unknown;
  /** Of the skill, where the file is its SKILL.md. */
  frontmatter: JsonObject | undefined;
}

type Skills = Pick<Catalog, 'get' | 'names' | 'revision'>;

/** The files of skills, as the lists of their servers have them. Made once per change of the catalog. */
export function createSkillFiles(skills: Skills) {
  let made: { revision: number; files: Map<string, SkillFile> } | undefined;

  function current(): Map<string, SkillFile> {
    const revision = skills.revision();
    if (made?.revision !== revision) made = { revision, files: indexFiles(skills) };
    return made.files;
  }

  return (server: string, uri: string): SkillFile | undefined => current().get(`${server} ${uri}`);
}

/**
 * Those of one skill. Its SKILL.md is one of them, also where the server lists no files because they are made on demand. What is not in
 * the directory of the skill is no file of it.
 */
export function filesOf(skill: JsonObject): ListedFile[] {
  const { uri: own, frontmatter, resources } = skill;
  if (typeof own !== 'string') return [];
  const named = Array.isArray(resources) ? resources.filter(isObject) : [];
  const first = named.find(({ uri }) => uri === own);
  const main = {
    uri: own,
    digest: first?.digest,
    size: first?.size,
    // A SKILL.md without its fields in the list is not one that a person could have accepted.
    frontmatter: isObject(frontmatter) ? frontmatter : {},
  };
  const directory = own.slice(0, own.lastIndexOf('/') + 1);
  const others = named.flatMap(({ uri, digest, size }: JsonObject) =>
    typeof uri === 'string' && uri !== own && isWithin(directory, uri)
      ? [{ uri, digest, size, frontmatter: undefined }]
      : [],
  );
  return [main, ...others];
}

/** Long lists have plain URIs, which need not be parsed. */
const MAY_LEAVE = /\/\.|[%\\]/;

function isWithin(directory: string, uri: string): boolean {
  if (!uri.startsWith(directory)) return false;
  return !MAY_LEAVE.test(uri) || (normalUri(uri)?.startsWith(normalUri(directory) ?? directory) ?? false);
}

function indexFiles(skills: Skills): Map<string, SkillFile> {
  const files = new Map<string, SkillFile>();
  for (const name of skills.names()) {
    const { server, definition } = skills.get(name)!;
    if (!isObject(definition.source)) continue;
    for (const file of filesOf(definition.source)) {
      const key = `${server} ${file.uri}`;
      // What a skill says about its own SKILL.md comes before what another one says about it.
      if (file.frontmatter || !files.has(key)) files.set(key, { ...file, skill: name });
    }
  }
  return files;
}
