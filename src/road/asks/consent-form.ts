import { exactJson, isObject, type JsonObject } from '../../json/index.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import type { Feature } from '../../upstream/dispatch/dispatch-call.ts';

const MAX_SHOWN = 2_000;

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

function promptText({ systemPrompt, messages }: JsonObject): string {
  const texts = Array.isArray(messages) ? messages.flatMap(messageTexts) : [];
  const all = [...(typeof systemPrompt === 'string' ? [`system: ${systemPrompt}`] : []), ...texts].join(
    ' | ',
  );
  return all.length > MAX_SHOWN ? `${all.slice(0, MAX_SHOWN)}… (cut)` : all;
}

function messageTexts(message: unknown): string[] {
  if (!isObject(message)) return [];
  const blocks: unknown[] = Array.isArray(message.content) ? message.content : [message.content];
  return blocks.map((block) => {
    if (!isObject(block)) return '(unreadable)';
    const text =
      block.type === 'text' && typeof block.text === 'string' ? block.text : `(${String(block.type)})`;
    return `${String(message.role)}: ${block.type === 'tool_result' ? (exactJson(block.content) ?? text) : text}`;
  });
}
