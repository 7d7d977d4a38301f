import { exactJson, isObject, type JsonObject } from '../../json/index.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import type { Feature } from '../../upstream/dispatch/dispatch-call.ts';
import { invalid } from './ask-errors.ts';

/** Characters of a prompt that a person can be shown. */
const MAX_SHOWN = 10_000;

/** Of a request that a person has allowed. */
const SENT = new Set([
  'messages',
  'systemPrompt',
  'maxTokens',
  'temperature',
  'stopSequences',
  'modelPreferences',
  '_meta',
]);

const WANTS = {
  sampling: 'to use your model',
  elicitation: 'to ask you something',
  roots: 'to know the directories that you work on',
} as const satisfies Record<Feature, string>;

/** The proxy's own question, before a request of a server is passed on. */
export function consentForm(
  feature: Feature,
  { server, tool }: { server: string; tool: string },
  params: JsonObject,
): JsonObject {
  const tokens =
    typeof params.maxTokens === 'number' ? `\nMost tokens of the answer: ${params.maxTokens}` : '';
  const prompt = feature === 'sampling' ? `\nIt sends: ${visibleLine(promptText(params))}` : '';
  return {
    mode: 'form',
    message: `mcpproxy asks: server '${visibleLine(server)}' wants ${WANTS[feature]} within a call of '${visibleLine(tool)}'.${tokens}${prompt}`,
    requestedSchema: {
      type: 'object',
      // No default: a program that accepts forms by itself fills in defaults, which would look like a person's answer.
      properties: { approve: { type: 'boolean', title: 'Allow this request', description: 'Once' } },
      required: ['approve'],
    },
  };
}

/** Whether the person at the client allowed it. Everything but an explicit yes is a no. */
export function isAllowed(answer: JsonObject): boolean {
  return answer.action === 'accept' && isObject(answer.content) && answer.content.approve === true;
}

/**
 * The request to a model as a person can allow it: what the form does not show is not sent. Throws where the form cannot show it whole.
 */
export function showable(params: JsonObject): JsonObject {
  const { tools, toolChoice, systemPrompt } = params;
  if (tools !== undefined || toolChoice !== undefined)
    throw invalid('a person must allow the request, and cannot be shown its tools');
  const isReadable = systemPrompt === undefined || typeof systemPrompt === 'string';
  if (!isReadable || !blocksOf(params).every(({ block }) => isText(block)))
    throw invalid('a person must allow the request, and can be shown text only');
  if (promptText(params).length > MAX_SHOWN)
    throw invalid(`a person must allow the request, and can be shown ${MAX_SHOWN} characters at most`);
  return Object.fromEntries(Object.entries(params).filter(([key]) => SENT.has(key)));
}

function promptText(params: JsonObject): string {
  const { systemPrompt } = params;
  const texts = blocksOf(params).map(
    ({ role, block }) => `${roleOf(role)}: ${isText(block) ? quoted(block.text) : '(unreadable)'}`,
  );
  return [...(systemPrompt === undefined ? [] : [`system: ${quoted(systemPrompt)}`]), ...texts].join(' | ');
}

/** As JSON: no text of the server can look like the words of the form around it. */
const quoted = (value: unknown): string => exactJson(value) ?? '';

const roleOf = (role: unknown): string => (role === 'user' || role === 'assistant' ? role : quoted(role));

function blocksOf({ messages }: JsonObject): Array<{ role: unknown; block: unknown }> {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: unknown) => {
    const { role, content } = isObject(message) ? message : {};
    const blocks: unknown[] = Array.isArray(content) ? content : [content];
    return blocks.map((block) => ({ role, block }));
  });
}

function isText(block: unknown): block is { text: string } {
  return isObject(block) && block.type === 'text' && typeof block.text === 'string';
}
