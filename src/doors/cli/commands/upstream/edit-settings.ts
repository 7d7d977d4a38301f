import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser';
import { visibleText } from '../../../../lib/visible-text.ts';
import type { Io } from '../../io.ts';
import { runEditor } from '../../run-editor.ts';
import { isPlain } from './server-flags.ts';

interface Editing {
  title: string;
  /** As shown: secrets are masked. */
  settings: Record<string, unknown>;
  /** The text of the last attempt, if it was not valid. */
  draft: string | undefined;
}

export interface Edited {
  text: string;
  /** The changes; undefined: none. */
  patch?: Record<string, unknown> | undefined;
  /** Why the text cannot be used. */
  problem?: string;
}

const MAX_BYTES = 1_000_000;

/** Opens the settings of a server in the editor of the person, in a private file that is removed afterwards. */
export async function editedSettings(io: Io, { title, settings, draft }: Editing): Promise<Edited> {
  const dir = await mkdtemp(join(tmpdir(), 'mcpproxy-edit-'));
  const file = join(dir, 'server.jsonc');
  try {
    await writeFile(file, draft ?? initialText(title, settings), { mode: 0o600 });
    await runEditor(io, file);
    const text = (await readFile(file, 'utf8')).slice(0, MAX_BYTES);
    return { text, ...readSettings(text, settings) };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function initialText(title: string, settings: Record<string, unknown>): string {
  const name = visibleText(title).replaceAll('\n', ' ');
  return `// Settings of server "${name}". Save and close to apply; leave unchanged to cancel.\n// *** is a hidden value and stays as it is. All settings: docs/reference/config.md\n${JSON.stringify(settings, null, 2)}\n`;
}

function readSettings(text: string, before: Record<string, unknown>): Omit<Edited, 'text'> {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) {
    const line = text.slice(0, first.offset).split('\n').length;
    return { problem: `line ${line}: ${printParseErrorCode(first.error)}` };
  }
  if (!isPlain(value)) return { problem: 'The settings must be a JSON object' };
  const patch = patchBetween(before, value);
  return { patch: Object.keys(patch).length === 0 ? undefined : patch };
}

/** The merge patch (RFC 7396) that leads from one object to the other. */
export function patchBetween(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) patch[key] = null;
  for (const [key, value] of Object.entries(after)) {
    const was = Object.hasOwn(before, key) ? before[key] : undefined;
    if (isPlain(was) && isPlain(value)) {
      const inner = patchBetween(was, value);
      if (Object.keys(inner).length > 0) patch[key] = inner;
    } else if (JSON.stringify(was) !== JSON.stringify(value)) patch[key] = value;
  }
  return patch;
}
