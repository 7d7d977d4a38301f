import { nativePattern, patternStates, UnsupportedPattern, type State } from './pattern-states.ts';

export interface LinearPattern {
  test(text: string): boolean;
  /** How many steps a character may take. */
  readonly size: number;
  toString(): string;
}

/** Thrown where even a linear walk would take too long. */
export class PatternTooCostly extends Error {}

const MAX_STEPS = 5_000_000;
const MAX_TEXT = 100_000;

/**
 * A regular expression from somebody we do not trust. The built-in engine may need years for a pattern of ten characters; this one walks
 * through all possibilities at once and needs at most (length of the text × size of the pattern) steps. It can do everything but look
 * around and refer back; such a pattern, or one that is no pattern at all, gives undefined.
 */
export function linearPattern(source: string): LinearPattern | undefined {
  if (!nativePattern(source)) return undefined;
  try {
    const { states, start } = patternStates(source);
    return { test: (text) => walk(states, start, text), size: states.length, toString: () => `/${source}/` };
  } catch (error) {
    if (error instanceof UnsupportedPattern) return undefined;
    throw error;
  }
}

function walk(states: State[], start: number, text: string): boolean {
  if (text.length > MAX_TEXT || text.length * states.length > MAX_STEPS)
    throw new PatternTooCostly('a text is too long for the pattern that it must match');
  const characters = Array.from(text);
  const visited = new Int32Array(states.length).fill(-1);
  let reached: number[] = [];
  for (let at = 0; at <= characters.length; at++) {
    const [before, after] = [characters[at - 1] ?? '', characters[at] ?? ''];
    const following: number[] = [];
    // A match may begin anywhere, so the walk also starts anew at each character.
    for (const open = [...reached, start]; open.length > 0;) {
      const index = open.pop()!;
      if (visited[index] === at) continue;
      visited[index] = at;
      const state = states[index]!;
      if (state.kind === 'end') return true;
      if (state.kind === 'fork') open.push(state.next, state.other);
      else if (state.kind === 'place' && state.holds(before, after)) open.push(state.next);
      else if (state.kind === 'character' && after !== '' && state.matches(after)) following.push(state.next);
    }
    reached = following;
  }
  return false;
}
