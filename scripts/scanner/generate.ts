import type { Row } from './examples.ts';
import { HONEST, HOSTS, LISTS, POISONED } from './templates.ts';

const [POISONED_ROWS, HONEST_ROWS] = [1300, 1200];
const ARGUMENTS = 'sidenote context note notes debug metadata trace hint feedback memo reference extra reason comment auth audit'.split(' '); // prettier-ignore

/** The same numbers in every run (Lehmer). */
function createChance(seed: number) {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
type Chance = ReturnType<typeof createChance>;

const oneOf = <T>(chance: Chance, list: readonly T[]): T => list[Math.floor(chance() * list.length)]!;

function filled(chance: Chance, text: string, names: Readonly<Record<string, string>>): string {
  const said = text.replace(/\{([a-z]+)\}/g, (_, name: string) =>
    filled(chance, names[name] ?? oneOf(chance, LISTS[name]!), names),
  );
  return said.replace(/\s+/g, ' ').trim();
}

interface Made {
  name: string;
  title?: string;
  description: string;
  inputSchema: { type: 'object'; properties: Record<string, unknown> };
}

function hostOf(chance: Chance): Made {
  const [name = '', description = ''] = oneOf(chance, HOSTS).split(': ');
  return { name, description, inputSchema: { type: 'object', properties: { id: { type: 'string' } } } };
}

/** Puts a text somewhere into a tool: mostly into its description, as attackers do. */
function put(chance: Chance, tool: Made, argument: string, text: string): void {
  const { properties } = tool.inputSchema;
  const where = chance();
  if (chance() < 0.75) properties[argument] = { type: 'string', description: 'More about the call' };
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

function poisonedRow(chance: Chance): Row {
  const tool = hostOf(chance);
  const argument = oneOf(chance, ARGUMENTS);
  const [kind, sentence] = oneOf(chance, SENTENCES);
  const text = filled(chance, sentence, { a: argument, t: tool.name });
  put(chance, tool, argument, chance() < 0.2 ? `<IMPORTANT> ${text} </IMPORTANT>` : text);
  return { label: 'poisoned', tool, source: `generated ${kind}` };
}

function honestRow(chance: Chance): Row {
  const tool = hostOf(chance);
  const argument = oneOf(chance, ARGUMENTS);
  const said = Array.from({ length: 1 + Math.floor(chance() * 3) }, () => oneOf(chance, HONEST));
  put(chance, tool, argument, filled(chance, said.join(' '), { a: argument, t: tool.name }));
  return { label: 'benign', tool, source: `generated ${said[0]}` };
}

/** Definitions made of our own sentences, poisoned and honest. */
export function generate(): Row[] {
  const chance = createChance(7);
  return [
    ...Array.from({ length: POISONED_ROWS }, () => poisonedRow(chance)),
    ...Array.from({ length: HONEST_ROWS }, () => honestRow(chance)),
  ];
}
