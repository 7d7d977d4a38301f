import type { CallResult } from '../../../contract/call.ts';
import { visibleLine, visibleText } from '../../../lib/visible-text.ts';
import { safeJson } from './safe-json.ts';
import { byteSize } from './time.ts';

type Block = NonNullable<CallResult['content']>[number];

/** A tool result for people: text as text, other content as one line with its type and size. */
export function contentText(result: CallResult): string {
  const blocks = result.content ?? [];
  if (blocks.length > 0) return blocks.map((block) => ensureNewline(blockText(block))).join('');
  if (result.structuredContent !== undefined) return `${safeJson(result.structuredContent, 2)}\n`;
  return '(no content)\n';
}

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
      return visibleText(text(block.text) ?? '');
    case 'image':
    case 'audio':
      return described(block.type, text(block.mimeType), sizeOf(block.data));
    case 'resource':
      return resourceText(block.resource);
    case 'resource_link':
      return described('link', text(block.uri), text(block.mimeType));
    default:
      return described(block.type);
  }
}

function resourceText(resource: unknown): string {
  const {
    uri,
    mimeType,
    text: body,
    blob,
  } = (typeof resource === 'object' && resource !== null ? resource : {}) as Record<string, unknown>;
  const line = described('resource', text(uri), text(mimeType), sizeOf(blob));
  return typeof body === 'string' ? `${line}\n${visibleText(body)}` : line;
}

function described(...parts: Array<string | undefined>): string {
  return visibleLine(`[${parts.filter((part) => part !== undefined).join(', ')}]`);
}

function sizeOf(base64: unknown): string | undefined {
  return typeof base64 === 'string' ? byteSize(Buffer.byteLength(base64, 'base64')) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function ensureNewline(line: string): string {
  return line.endsWith('\n') ? line : `${line}\n`;
}
