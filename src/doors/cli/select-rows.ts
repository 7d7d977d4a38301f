import { emitKeypressEvents, type Key } from 'node:readline';
import { visibleLine } from '../../lib/visible-text.ts';

export interface SelectRow {
  label: string;
  isChosen?: boolean;
}

/** A question with rows to choose from. */
export interface Selection {
  question: string;
  rows: readonly SelectRow[];
  /** True: any number of them; otherwise exactly one. */
  many: boolean;
}

interface Terminal {
  input: NodeJS.ReadStream;
  output: { write(text: string): unknown; columns?: number; rows?: number };
  interrupted(): void;
}

const HELP_MANY = 'up/down · space: choose · a: all · Enter: go on · Esc: skip';
const HELP_ONE = 'up/down · Enter: choose · Esc: skip';

/** Lets a person choose rows with the arrow keys. Returns their positions; undefined if the question was skipped. */
export async function selectRows(selection: Selection, terminal: Terminal): Promise<number[] | undefined> {
  const { rows, many } = selection;
  const { input, output } = terminal;
  const state = {
    at: Math.max(0, many ? 0 : rows.findIndex(({ isChosen }) => isChosen)),
    chosen: new Set(rows.flatMap(({ isChosen }, index) => (isChosen ? [index] : []))),
  };
  let lines = 0;
  const draw = () => {
    const text = drawn(selection, state, output);
    output.write(`${lines > 0 ? `\u001b[${lines}A\u001b[J` : ''}${text.join('\n')}\n`);
    lines = text.length;
  };
  emitKeypressEvents(input);
  input.setRawMode(true);
  input.resume();
  draw();
  try {
    return await new Promise<number[] | undefined>((resolve) => {
      const onKey = (_: string | undefined, key: Key) => {
        const answer = pressed(key, { ...selection, state });
        draw();
        if (answer === undefined) return;
        input.off('keypress', onKey);
        if (answer === 'interrupt') terminal.interrupted();
        resolve(Array.isArray(answer) ? answer : undefined);
      };
      input.on('keypress', onKey);
    });
  } finally {
    input.setRawMode(false);
    input.pause();
  }
}

interface State {
  at: number;
  chosen: Set<number>;
}

/** The answer that a key gives; undefined: the person goes on. */
function pressed(
  { name = '', ctrl = false }: Key,
  { rows, many, state }: Selection & { state: State },
): number[] | 'skip' | 'interrupt' | undefined {
  if (ctrl && (name === 'c' || name === 'd')) return 'interrupt';
  if (name === 'escape') return 'skip';
  if (name === 'return' || name === 'enter')
    return many ? [...state.chosen].sort((a, b) => a - b) : [state.at];
  const step = STEPS[name];
  if (step !== undefined) state.at = (state.at + step + rows.length) % rows.length;
  else if (many) toggle(name, rows.length, state);
  return undefined;
}

const STEPS: Readonly<Record<string, number | undefined>> = { up: -1, k: -1, down: 1, j: 1 };

function toggle(name: string, count: number, state: State): void {
  if (name === 'space' && !state.chosen.delete(state.at)) state.chosen.add(state.at);
  if (name === 'a')
    state.chosen = new Set(state.chosen.size === count ? [] : Array.from({ length: count }).keys());
}

/** Every line fits, and all of them together, so that what was drawn before can be erased. */
function drawn(
  { question, rows, many }: Selection,
  { at, chosen }: State,
  { columns = 80, rows: height = 24 }: Terminal['output'],
): string[] {
  const fit = (text: string) => [...text].slice(0, Math.max(10, columns - 1)).join('');
  const { from, to } = shownPart(at, rows.length, height - AROUND);
  return [
    fit(question),
    ...(from > 0 ? [fit(`  … ${from} more`)] : []),
    ...rows.slice(from, to).map(({ label }, place) => {
      const index = from + place;
      const box = many ? `[${chosen.has(index) ? 'x' : ' '}] ` : '';
      return fit(`${index === at ? '>' : ' '} ${box}${visibleLine(label)}`);
    }),
    ...(to < rows.length ? [fit(`  … ${rows.length - to} more`)] : []),
    fit(many ? HELP_MANY : HELP_ONE),
  ];
}

/** The question, the help, and the line of the cursor. */
const AROUND = 3;
const FEWEST_SHOWN = 1;

/** The rows around the present one, where there is no room for all of them: two lines then count those that are not shown. */
function shownPart(at: number, count: number, room: number): { from: number; to: number } {
  if (count <= room) return { from: 0, to: count };
  const size = Math.max(FEWEST_SHOWN, room - 2);
  const from = Math.min(Math.max(0, at - Math.floor(size / 2)), count - size);
  return { from, to: from + size };
}
