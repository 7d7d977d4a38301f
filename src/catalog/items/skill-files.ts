import type { Catalog } from '../catalog.ts';
import { isObject, type JsonObject } from '../../json/index.ts';

/** What a server says about a file of a skill. */
export interface SkillFile {
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

/** Those of one skill. Its SKILL.md is one of them, also where the server lists no files because they are made on demand. */
export function filesOf(skill: JsonObject): SkillFile[] {
  const { uri: own, frontmatter, resources } = skill;
  const named = Array.isArray(resources) ? resources.filter(isObject) : [];
  const isNamed = named.some(({ uri }) => uri === own);
  return [...named, ...(isNamed ? [] : [{ uri: own }])].flatMap(({ uri, digest, size }: JsonObject) => {
    if (typeof uri !== 'string') return [];
    return [
      { uri, digest, size, frontmatter: uri === own && isObject(frontmatter) ? frontmatter : undefined },
    ];
  });
}

function indexFiles(skills: Skills): Map<string, SkillFile> {
  const files = new Map<string, SkillFile>();
  for (const name of skills.names()) {
    const { server, definition } = skills.get(name)!;
    if (!isObject(definition.source)) continue;
    for (const file of filesOf(definition.source)) {
      const key = `${server} ${file.uri}`;
      if (!files.has(key)) files.set(key, file);
    }
  }
  return files;
}
