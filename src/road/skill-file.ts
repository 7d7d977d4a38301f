import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { SkillFile } from '../catalog/index.ts';
import { ProxyError } from '../contract/errors.ts';
import { isObject, type JsonObject } from '../json/index.ts';
import { visibleLine } from '../lib/visible-text.ts';
import type { CallContext } from './context.ts';
import type { RoadParts } from './step.ts';

const MAX_FRONTMATTER = 64 * 1024;

/**
 * A server lists the size and the digest of each file of a skill, and what the skill is for. A file that differs may have been exchanged
 * after a person has accepted the skill, so that it is not passed on.
 */
export async function checkSkillFile({ parsed, result }: CallContext, { items }: RoadParts): Promise<void> {
  const { server, tool: uri } = parsed;
  const file = items?.skillFile(server, uri);
  if (!file || result.resultType === 'input_required') return;
  const problem = await problemOf(file, result.contents);
  if (problem === undefined) return;
  throw new ProxyError(
    'UPSTREAM_FAILED',
    `The file '${visibleLine(uri.slice(0, 200))}' is not the one that server '${server}' lists for its skill: ${problem}. It was not passed on`,
    { server, uri: visibleLine(uri.slice(0, 200)) },
  );
}

async function problemOf(
  { digest, size, frontmatter }: SkillFile,
  contents: unknown,
): Promise<string | undefined> {
  const [content, ...more] = Array.isArray(contents) ? (contents as unknown[]) : [];
  if (!isObject(content) || more.length > 0) return 'the answer is not one file';
  const bytes = bytesOf(content);
  if (!bytes) return 'it has no content';
  if (size !== undefined && size !== bytes.length) return 'its size differs';
  if (digest !== undefined && digest !== `sha256:${createHash('sha256').update(bytes).digest('hex')}`)
    return 'its digest differs';
  if (!frontmatter || isDeepStrictEqual(await readFrontmatter(bytes), plain(frontmatter))) return undefined;
  return 'its frontmatter differs';
}

function bytesOf({ text, blob }: JsonObject): Buffer | undefined {
  if (typeof text === 'string') return Buffer.from(text);
  return typeof blob === 'string' ? Buffer.from(blob, 'base64') : undefined;
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

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
