import { exactJson } from '../lib/exact-json.ts';

// What JSON allows raw inside a string but a terminal may obey or hide: DEL, C1 controls, bidi and invisible characters, tags.
const RAW =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Escapes within JSON text, so that it parses to the same value and yet cannot drive a terminal. */
export function escapeJsonText(text: string): string {
  return text.replace(RAW, (character) =>
    [...unitsOf(character)].map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join(''),
  );
}

export function safeJson(value: unknown, indent?: number): string {
  return escapeJsonText(exactJson(value, indent) ?? 'null');
}

/** The same for YAML. The library is loaded only when somebody asks for it. */
export async function safeYaml(value: unknown): Promise<string> {
  const { Document, visit } = await import('yaml');
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      // Only a double-quoted scalar knows escapes.
      if (typeof node.value === 'string' && node.value.search(RAW) >= 0) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document
    .toString({ lineWidth: 0 })
    .replace(RAW, (character) => `\\U${character.codePointAt(0)!.toString(16).padStart(8, '0')}`);
}

function* unitsOf(text: string): Generator<number> {
  for (let i = 0; i < text.length; i++) yield text.charCodeAt(i);
}
