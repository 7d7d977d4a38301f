import type { Row } from './examples.ts';
import { HONEST, HOSTS, LISTS, POISONED } from './templates.ts';

const [POISONED_ROWS, HONEST_ROWS] = [1300, 1200];
const ARGUMENTS = 'sidenote context note notes debug metadata trace hint feedback memo reference extra reason comment auth audit'.split(' '); // prettier-ignore

/** The same random numbers in every run (Lehmer). */
function createRandom(seed: number) {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
type Random = ReturnType<typeof createRandom>;

const oneOf = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]!;

function fillTemplate(random: Random, text: string, names: Readonly<Record<string, string>>): string {
  const said = text.replace(/\{([a-z]+)\}/g, (_, name: string) =>
    fillTemplate(random, names[name] ?? oneOf(random, LISTS[name]!), names),
  );
  return said.replace(/\s+/g, ' ').trim();
}

interface Insertion {
  /** The argument that the text mentions. */
  argument: string;
  text: string;
}

interface GeneratedTool {
  name: string;
  title?: string;
  description: string;
  inputSchema: { type: 'object'; properties: Record<string, unknown> };
}

function hostOf(random: Random): GeneratedTool {
  const [name = '', description = ''] = oneOf(random, HOSTS).split(': ');
  return { name, description, inputSchema: { type: 'object', properties: { id: { type: 'string' } } } };
}

/** Puts a text into a random place of a tool: mostly its description, as attackers do. */
function insertText(random: Random, tool: GeneratedTool, { argument, text }: Insertion): void {
  const { properties } = tool.inputSchema;
  const where = random();
  if (random() < 0.75) properties[argument] = { type: 'string', description: 'More about the call' };
  if (where < 0.62) tool.description += ` ${text}`;
  else if (where < 0.74) tool.description = text;
  else if (where < 0.88) properties[argument] = { type: 'string', description: text };
  else if (where < 0.92) properties.mode = { type: 'string', enum: ['auto', text] };
  else if (where < 0.96) properties.mode = { type: 'string', default: text };
  else tool.title = text;
}

const SENTENCES = Object.entries(POISONED).flatMap(([kind, list]) =>
  list.map((sentence) => [kind, sentence] as const),
);

function poisonedRow(random: Random): Row {
  const tool = hostOf(random);
  const argument = oneOf(random, ARGUMENTS);
  const [kind, sentence] = oneOf(random, SENTENCES);
  const text = fillTemplate(random, sentence, { a: argument, t: tool.name });
  insertText(random, tool, { argument, text: random() < 0.2 ? `<IMPORTANT> ${text} </IMPORTANT>` : text });
  return { label: 'poisoned', tool, source: `generated ${kind}` };
}

function honestRow(random: Random): Row {
  const tool = hostOf(random);
  const argument = oneOf(random, ARGUMENTS);
  const said = Array.from({ length: 1 + Math.floor(random() * 3) }, () => oneOf(random, HONEST));
  const text = fillTemplate(random, said.join(' '), { a: argument, t: tool.name });
  insertText(random, tool, { argument, text });
  return { label: 'benign', tool, source: `generated ${said[0]}` };
}

/** Poisoned and honest definitions built from the templates. */
export function generate(): Row[] {
  const random = createRandom(7);
  return [
    ...Array.from({ length: POISONED_ROWS }, () => poisonedRow(random)),
    ...Array.from({ length: HONEST_ROWS }, () => honestRow(random)),
  ];
}
