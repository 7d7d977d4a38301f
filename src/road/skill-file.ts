import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { SkillFile } from '../catalog/index.ts';
import { ProxyError } from '../contract/errors.ts';
import { isObject, type JsonObject } from '../json/index.ts';
import { visibleLine } from '../lib/visible-text.ts';
import type { CallContext } from './context.ts';
import type { RoadParts } from './step.ts';

/** Some YAML of this length takes the parser milliseconds, and of four times the length sixteen times as long. */
const MAX_FRONTMATTER = 16 * 1024;

/**
 * A server lists the size and the digest of each file of a skill, and what the skill is for. A file that differs may have been exchanged
 * after a person has accepted the skill, so that it is not passed on. Neither is a skill that is not as it is listed.
 */
export async function checkSkill(call: CallContext, { items }: RoadParts): Promise<void> {
  const { parsed, request, result } = call;
  if (!items || result.resultType === 'input_required') return;
  const { name, server, tool: uri } = parsed;
  if (request.kind === 'resource') {
    const file = items.skillFile(server, uri);
    const problem = file && (await problemOf(file, result.contents));
    if (problem !== undefined)
      throw notAsListed(
        call,
        `file '${shortened(uri)}' is not the one that server '${server}' lists for its skill: ${problem}`,
      );
  }
  const listed = request.kind === 'skill' ? items.skill.get(name)?.definition.source : undefined;
  if (isObject(listed) && !isSame(listed, result.skill))
    throw notAsListed(call, `skill '${shortened(uri)}' is not as server '${server}' lists it`);
}

function notAsListed({ parsed: { server, tool: uri } }: CallContext, what: string): ProxyError {
  const details = { server, uri: shortened(uri) };
  return new ProxyError('UPSTREAM_FAILED', `The ${what}. It was not passed on`, details);
}

const shortened = (uri: string): string => visibleLine(uri.slice(0, 200));

function isSame(listed: JsonObject, got: unknown): boolean {
  if (!isObject(got)) return false;
  return ['uri', 'frontmatter', 'resources'].every((field) =>
    isDeepStrictEqual(plain(listed[field]), plain(got[field])),
  );
}

async function problemOf(
  { uri, digest, size, frontmatter }: SkillFile,
  contents: unknown,
): Promise<string | undefined> {
  const [content, ...more] = Array.isArray(contents) ? (contents as unknown[]) : [];
  if (!isObject(content) || more.length > 0) return 'the answer is not one file';
  if (content.uri !== uri) return 'the answer is another file';
  const bytes = bytesOf(content);
  if (!bytes) return 'it has no content, or not one that all clients read alike';
  if (size !== undefined && size !== bytes.length) return 'its size differs';
  if (digest !== undefined && digest !== `sha256:${createHash('sha256').update(bytes).digest('hex')}`)
    return 'its digest differs';
  if (!frontmatter || isDeepStrictEqual(await readFrontmatter(bytes), plain(frontmatter))) return undefined;
  return 'its frontmatter differs';
}

/** Clients differ in which of two contents they take, and in what they make of wrong base64. */
function bytesOf({ text, blob }: JsonObject): Buffer | undefined {
  if (blob === undefined) return typeof text === 'string' ? Buffer.from(text) : undefined;
  if (typeof blob !== 'string' || text !== undefined) return undefined;
  const bytes = Buffer.from(blob, 'base64');
  return bytes.toString('base64') === blob ? bytes : undefined;
}

/** The fields between the first two lines of dashes; undefined: there are none that can be read. */
async function readFrontmatter(bytes: Buffer): Promise<unknown> {
  const [first, ...lines] = bytes
    .toString('utf8', 0, MAX_FRONTMATTER)
    .replace(/^\uFEFF/, '')
    .split('\n');
  const end = lines.findIndex((line) => line.trimEnd() === '---');
  if (first?.trimEnd() !== '---' || end === -1) return undefined;
  const { parse } = (await import('yaml')).default;
  try {
    return plain(parse(lines.slice(0, end).join('\n'), { schema: 'core' }));
  } catch {
    return undefined;
  }
}

const plain = (value: unknown): unknown => (value === undefined ? value : JSON.parse(JSON.stringify(value)));
