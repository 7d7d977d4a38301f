import { exactJson } from '../../../json/index.ts';
import { hasHidden, replaceHidden } from '../../../lib/visible-text.ts';

/** Escapes control characters in JSON text: it parses to the same value but cannot control a terminal. */
export function escapeJsonText(text: string): string {
  return replaceHidden(text, (character) =>
    [...unitsOf(character)].map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join(''),
  );
}

export function safeJson(value: unknown, indent?: number): string {
  return escapeJsonText(exactJson(value, indent) ?? 'null');
}

/** The same for YAML. The library is loaded on first use. */
export async function safeYaml(value: unknown): Promise<string> {
  const { Document, visit } = (await import('yaml')).default;
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      // Only a double-quoted scalar supports escapes.
      if (typeof node.value === 'string' && hasHidden(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return replaceHidden(
    document.toString({ lineWidth: 0 }),
    (character) => `\\U${character.codePointAt(0)!.toString(16).padStart(8, '0')}`,
  );
}

function* unitsOf(text: string): Generator<number> {
  for (let i = 0; i < text.length; i++) yield text.charCodeAt(i);
}
