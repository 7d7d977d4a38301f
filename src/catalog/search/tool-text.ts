import type { ToolDefinition } from '../../contract/tool.ts';
import { isObject } from '../../json/index.ts';

/** The searched parts of a tool's definition. A word in a name weighs more than one in a description. */
export const FIELDS = [
  'name',
  'server',
  'summary',
  'description',
  'parameters',
  'parameter_text',
  'about',
] as const;
export type Field = (typeof FIELDS)[number];
export type ToolText = Record<Field, string>;

const MAX_NAME = 256;
const MAX_SUMMARY = 400;
/** Each tool of a server is indexed with it, so it is short. */
const MAX_ABOUT = 240;
const MAX_DESCRIPTION = 4000;
const MAX_PARAMETERS = 64;
const MAX_PARAMETER_TEXT = 3000;
const MAX_DEPTH = 3;

/** How a server introduces itself: its own name, and the first sentence of its instructions. */
export function aboutServer(said: { name?: string | undefined; instructions?: string | undefined }): string {
  const text = `${said.name ?? ''} ${firstSentence(said.instructions ?? '')}`.trim();
  return text.slice(0, MAX_ABOUT);
}

/** Untrusted text, cut to the part that search uses. */
export function toolText(server: string, definition: ToolDefinition, about = ''): ToolText {
  const description = definition.description ?? '';
  const summary = firstSentence(description);
  const title = definition.title ?? titleOf(definition.annotations) ?? '';
  const parameters = collectParameters(definition.inputSchema);
  return {
    name: `${definition.name.slice(0, MAX_NAME)} ${title.slice(0, MAX_NAME)}`,
    server: server.slice(0, MAX_NAME),
    summary,
    description: description.trimStart().slice(summary.length, MAX_DESCRIPTION),
    parameters: parameters.names.join(' '),
    parameter_text: parameters.text,
    about,
  };
}

/** Up to the first full stop or blank line, whichever comes first. */
export function firstSentence(description: string): string {
  const text = description
    .slice(0, 2 * MAX_DESCRIPTION)
    .trimStart()
    .slice(0, MAX_SUMMARY);
  const end =
    /[.!?](?=\s|$)|[。！？]|\n\s*\n|\n\s*(?:Args|Arguments|Parameters|Params|Returns|Example)s?\s*:/.exec(
      text,
    );
  if (!end) return text;
  return text.slice(0, end.index + (end[0].startsWith('\n') ? 0 : end[0].length));
}

function titleOf(annotations: Record<string, unknown> | undefined): string | undefined {
  return typeof annotations?.title === 'string' ? annotations.title : undefined;
}

interface ParameterText {
  names: string[];
  text: string;
}

function collectParameters(schema: Record<string, unknown>): ParameterText {
  const found: ParameterText = { names: [], text: '' };
  visit(schema, 0, found);
  return found;
}

function visit(schema: unknown, depth: number, found: ParameterText): void {
  if (!isObject(schema) || depth > MAX_DEPTH) return;
  if (isObject(schema.properties)) {
    for (const [name, property] of Object.entries(schema.properties)) {
      if (found.names.length >= MAX_PARAMETERS) return;
      found.names.push(name.slice(0, MAX_NAME));
      note(property, found);
      visit(property, depth + 1, found);
    }
  }
  if (schema.items !== undefined) visit(schema.items, depth + 1, found);
}

function note(property: unknown, found: ParameterText): void {
  if (!isObject(property) || found.text.length >= MAX_PARAMETER_TEXT) return;
  const { description, enum: values } = property;
  const parts: string[] = typeof description === 'string' ? [description] : [];
  if (Array.isArray(values)) parts.push(...values.slice(0, 32).filter((value) => typeof value === 'string'));
  found.text = `${found.text} ${parts.join(' ')}`.slice(0, MAX_PARAMETER_TEXT);
}
