/** One text of a definition, and its place as a JSON pointer. */
export interface DefinitionText {
  path: string;
  text: string;
}

/** Bounds against very long definitions. Texts beyond them are not read, and a finding says so. */
const MAX_CHARACTERS = 100_000;
const MAX_TEXTS = 5000;
const MAX_NODES = 100_000;
const MAX_DEPTH = 40;

const holdsText = (value: unknown) =>
  typeof value === 'string' || (typeof value === 'object' && value !== null);

/** Every text of a definition: values and keys, at any depth. Keys are texts too: a parameter's name is read by the model. */
export function collectTexts(value: unknown): { texts: DefinitionText[]; complete: boolean } {
  const texts: DefinitionText[] = [];
  let left = MAX_CHARACTERS;
  let nodes = MAX_NODES;
  let complete = true;

  function add(path: string, text: string): void {
    if (left <= 0 || texts.length >= MAX_TEXTS) complete = false;
    else texts.push({ path, text: text.slice(0, left) });
    if (text.length > left) complete = false;
    left -= text.length;
  }

  function walk(node: unknown, path: string, depth: number): void {
    if (typeof node === 'string') return add(path || '/', node);
    if (typeof node !== 'object' || node === null) return;
    if (depth > MAX_DEPTH) complete = false;
    else if (Array.isArray(node)) walkList(node, path, depth);
    else walkObject(node as Record<string, unknown>, path, depth);
  }

  function walkList(list: unknown[], path: string, depth: number): void {
    for (let i = 0; i < list.length && hasBudget(); i++)
      if (holdsText(list[i])) walk(list[i], `${path}/${i}`, depth + 1);
  }

  function walkObject(object: Record<string, unknown>, path: string, depth: number): void {
    for (const key in object) {
      if (!hasBudget()) return;
      if (!Object.hasOwn(object, key)) continue;
      const at = `${path}/${key.slice(0, 200).replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (!SCHEMA_WORDS.has(key)) add(at, key);
      walk(object[key], at, depth + 1);
    }
  }

  function hasBudget(): boolean {
    if (texts.length < MAX_TEXTS && --nodes >= 0) return true;
    return (complete = false);
  }

  walk(value, '', 0);
  return { texts, complete };
}

/** Keys of the protocol and of JSON Schema; they do not describe the tool. */
const SCHEMA_WORDS = new Set(
  `name title description inputSchema outputSchema annotations icons _meta type properties required items enum default const examples format
   pattern minimum maximum minLength maxLength minItems maxItems uniqueItems additionalProperties anyOf oneOf allOf not if then else $schema $ref
   $defs definitions $id readOnlyHint destructiveHint idempotentHint openWorldHint prefixItems patternProperties propertyNames
   exclusiveMinimum exclusiveMaximum multipleOf nullable deprecated readOnly writeOnly $comment contains dependentRequired src mimeType sizes`.split(
    /\s+/,
  ),
);
